// Global indexes that come and go while their table is used (UpdateTable).
//
// The record of a table says which index is being built, and up to which place in the store: items at or before it are in the
// index, the others are not. A writer carries the record as a guard, so it knows the place for certain, and keeps the index of
// an item that is in it. A step of the build names the record as a key, so no writer is at work meanwhile: it puts the entries of
// the next items and moves the place behind them. So the index is right at every moment, whatever ends the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog.h"
#include "engine/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Whether the item under this key is in the index, or would be if it fitted: whoever writes it keeps the entry.
inline bool is_kept(const TableSchema& table, const IndexSchema& index, std::string_view item_key) {
  const std::optional<IndexBuild>& build = table.description.index_build;
  return !build || table.building_index != index.id || item_key <= build->place;
}

// The ids of the indexes that `after` says: those that stay keep theirs, and a new one gets one that no index of the table ever
// had. Appends what goes with it: the entries of those that are gone are erased; the job of a build comes and goes.
Result<IndexIds> change_indexes(const TableSchema& before, const TableDescription& after,
                                std::vector<store::Write>& writes);

// How much one step does. Every writer of the table waits for it: so it is short (5 µs an item, tests/backfill).
struct BuildStep {
  std::size_t items = 500;
  std::size_t bytes = std::size_t{512} * 1024;
};

// The next items of the index that is being built. True when none is: it has all of them.
Result<bool> build_some(store::Store& store, Catalog& catalog, const std::string& table_name,
                        const BuildStep& step = {});

}  // namespace tavola::engine
