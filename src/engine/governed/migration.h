// MigrateTable: a table of one revision of a design becomes one of the next, while both are used.
//
//   Start   creates the newer table and ties both together: from now on what is written to one is written to both (paired_table.h)
//   copying a job brings over what was there before, portion by portion, its place stored with each; until it is done the
//           newer table is being created, and only the older one is used
//   Verify  compares all items, page by page
//   Finish  unties them;  Abort unties them and deletes the newer one
#pragma once

#include <string>

#include <tavola/database.h>

#include "design/items/entity_item.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

struct MigrationParts {
  Database& database;  // that creates the newer table
  store::Store& store;
  Catalog& catalog;
};

Result<MigrateTableResponse> migrate_table(const MigrationParts& parts, const MigrateTableRequest& request);

// The job of a table that is copied: `key` is where its record stands.
struct CopyingJob {
  store::Store& store;
  Catalog& catalog;
  const TableSchema& table;  // the older one
  const std::string& key;
};
// Copies a portion. True when there is nothing left to do, or nothing that can be done: items that cannot be converted stay
// where they are and are told by Describe. Fails with Stale when the table changed.
Result<bool> copy_some(const CopyingJob& job, const design::Moment& moment);

}  // namespace tavola::engine
