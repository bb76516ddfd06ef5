// Whether both tables of a migration hold the same.
#pragma once

#include <string>

#include "engine/governed/migration.h"

namespace tavola::engine {

// Compares a page of the items, at one moment: those of the older table with their counterparts, then those of the newer one
// that should not be there. `after` is where the page before ended (MigrateTableResponse::next).
Result<MigrateTableResponse> verify_page(const MigrationParts& parts, const TableSchema& table,
                                         const std::string& after);

}  // namespace tavola::engine
