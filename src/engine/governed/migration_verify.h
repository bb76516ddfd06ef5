// Compares the contents of both tables of a migration.
#pragma once

#include <string>

#include "engine/governed/migration.h"

namespace tavola::engine {

// Compares a page of the items, in one snapshot: those of the older table with their counterparts, then those of the
// newer one that should not exist. `after` is the end of the previous page (MigrateTableResponse::next).
Result<MigrateTableResponse> verify_page(const MigrationParts& parts, const TableSchema& table,
                                         const std::string& after);

}  // namespace tavola::engine
