// Maintains indexes: the effect of a change of one item on one index.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Returns whether writes of the item under `item_key` maintain its entry in the index. They do not for items that the
// build of an index has not reached yet (indexes/index_build.h).
inline bool is_kept(const TableSchema& table, const IndexSchema& index, std::string_view item_key) {
  return table.building_index != index.id || item_key <= table.description.index_build_position;
}

// The change of the number and the bytes of entries by a write, and its cost.
struct IndexChange {
  std::int64_t items = 0;
  std::int64_t bytes = 0;
  double units = 0;
};

// Appends the writes that turn the entry of `before` into the entry of `after` (either may be absent); none if they are
// equal.
IndexChange change_index(const TableSchema& table, const IndexSchema& index,
                         const std::optional<ItemView>& before, const std::optional<ItemView>& after,
                         std::vector<store::Write>& writes);

// Bytes of the entries of `item` in all local indexes, as DynamoDB charges them.
std::size_t local_entries_size(const TableSchema& table, const ItemView& item);

// The attributes of `item` named in `names` (sorted).
PackedItem project(const ItemView& item, const std::vector<std::string>& names);

}  // namespace tavola::engine
