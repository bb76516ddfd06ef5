// MigrateTable: moves a table of one revision of a design to the next, while both are used.
//
//   Start   creates the newer table and pairs both: from now on every write to one is written to both (paired_table.h)
//   copying a job copies the earlier items, portion by portion, with its position stored with each; until it is done the
//           newer table is being created, and only the older one is used
//   Verify  compares all items, page by page
//   Finish  separates them;  Abort separates them and deletes the newer one
#pragma once

#include <string>

#include <tavola/database.h>

#include "design/items/entity_item.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

struct MigrationParts {
  Database& database;  // creates the newer table
  store::Store& store;
  Catalog& catalog;
};

Result<MigrateTableResponse> migrate_table(const MigrationParts& parts, const MigrateTableRequest& request);

// The job of a table that is being copied: `key` is the key of its record.
struct CopyingJob {
  store::Store& store;
  Catalog& catalog;
  const TableSchema& table;  // the older one
  const std::string& key;
};
// Copies a portion. Returns true if nothing is left to do, or nothing that can be done: items that cannot be converted
// stay, and Describe reports them. Fails with Stale if the table changed.
Result<bool> copy_some(const CopyingJob& job, const design::Ambient& ambient);

}  // namespace tavola::engine
