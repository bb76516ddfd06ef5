// The table that files are loaded into.
#pragma once

#include <string>
#include <vector>

#include <tavola/database.h>

#include "transfer/tables/table_definition.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

// Creates it, waits until it can be used, and says what expires. `remarks` gets what could not be done.
Result<TableDescription> create_from(Database& database, const TableDefinition& definition,
                                     const Pause& pause, std::vector<std::string>& remarks);

}  // namespace tavola::transfer
