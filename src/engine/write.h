// PutItem, UpdateItem and DeleteItem: one read–modify–write, told apart by the change they make.
//
// The rule that runs inside Store::transact is pure: it sees the stored item, decides, and returns every
// write that belongs to the change: the item, its index entries and the table's counters.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <tavola/requests.h>

#include "engine/capacity.h"
#include "engine/catalog.h"
#include "expr/compile.h"
#include "store/store.h"

namespace tavola::engine {

// The item after the write, from the item before it; nothing deletes it.
using ItemChange = std::function<Result<std::optional<PackedItem>>(const std::optional<ItemView>& before)>;

// Whether the caller needs the item as it was: it costs a copy.
enum class KeepBefore : std::uint8_t { No, Yes };

struct ItemWrite {
  const TableSchema& table;
  std::string key;  // keys.h: item_key()
  const expr::Condition& condition;
  ReturnValuesOnConditionCheckFailure on_condition_failure;
  KeepBefore keep;
  ItemChange change;
};

// What a write did. The images are copies: the store's bytes are gone by now.
struct WrittenItem {
  explicit WrittenItem(const TableSchema& table) : units(table) {}
  std::optional<PackedItem> before;  // with KeepBefore::Yes
  std::optional<PackedItem> after;
  UsedUnits units;
};

// Commits one write. Fails with ConditionalCheckFailed, the change's own error, or Stale when the schema
// changed.
Result<WrittenItem> write_item(store::Store& store, const ItemWrite& write);

}  // namespace tavola::engine
