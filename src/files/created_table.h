// The target table of a load.
#pragma once

#include <string>
#include <vector>

#include <tavola/database.h>

#include "files/patience.h"
#include "files/table_definition.h"

namespace tavola::files {

// Creates the table, waits until it is usable, and sets its time to live. Adds to `remarks` what could not be
// done.
Result<TableDescription> create_from(Database& database, const TableDefinition& definition,
                                     const Pause& pause, std::vector<std::string>& remarks);

}  // namespace tavola::files
