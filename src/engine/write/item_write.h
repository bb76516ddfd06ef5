// One write of an item: its key, its condition and the change it makes. PutItem, UpdateItem and DeleteItem are one such write each;
// a batch or a transaction is several. request_writes.h decides and commits them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/requests.h>

#include "engine/catalog/catalog.h"
#include "engine/checks/compiled_request.h"
#include "engine/write/capacity.h"
#include "expr/evaluate/compile.h"
#include "store/store.h"

namespace tavola::engine {

// Returns the item after the write, from the item before it; nothing deletes it. Pure.
using ItemChange = std::function<Result<std::optional<PackedItem>>(const std::optional<ItemView>& before)>;

// Whether the caller needs the item as it was: it costs a copy.
enum class KeepBefore : std::uint8_t { No, Yes };

struct ItemWrite {
  const TableSchema& table;
  std::string key;  // keys.h: item_key()
  const expr::Condition& condition;
  ReturnValuesOnConditionCheckFailure on_condition_failure;
  KeepBefore keep;
  ItemChange change;  // empty: only the condition is checked

  // Where a write may make an item collection larger, i.e. puts and updates in tables with local indexes: the
  // counter of the collection (keys.h), and its size before the write: see look_up_collection().
  std::string collection{};
  std::int64_t collection_bytes = 0;

  bool expires = false;                  // the item's time to live is over: nobody asked for its deletion
  const expr::Update* update = nullptr;  // of an UpdateItem
  const PackedItem* item = nullptr;      // of a PutItem
};

// Checks an item to be put, before its table is known.
Result<void> check_item_size(const ItemView& item);
// Checks an item with its entries in the table's local indexes. Its index keys were checked.
Result<void> check_stored_size(const TableSchema& table, const ItemView& item);

// Checks an item that the rules of its table made: its changed index keys and its size.
Result<void> check_made_item(const TableSchema& table, const std::optional<ItemView>& before,
                             const ItemView& item);

// Returns a request as a write on `table`. Fails with what is wrong with its key, its item or its update there. The write borrows
// all three arguments.
Result<ItemWrite> prepare(const TableSchema& table, const PutItemRequest& request,
                          const WriteParameters& parameters);
Result<ItemWrite> prepare(const TableSchema& table, const DeleteItemRequest& request,
                          const WriteParameters& parameters);
Result<ItemWrite> prepare(const TableSchema& table, const UpdateItemRequest& request,
                          const WriteParameters& parameters);
Result<ItemWrite> prepare(const TableSchema& table, const ConditionCheck& request,
                          const WriteParameters& parameters);

// Fills in the size of the write's collection, if it has one. Others may add to it concurrently: the limit is kept as
// precisely as the number of writers allows, and no writer waits for another. Costs nothing without local indexes.
Result<void> look_up_collection(const store::Store& store, ItemWrite& write);

// The result of a write. The images are copies: the store's bytes are gone by now.
struct WrittenItem {
  explicit WrittenItem(const TableSchema& table) : units(table) {}
  std::optional<PackedItem> before;  // with KeepBefore::Yes
  std::optional<PackedItem> after;
  UsedUnits units;
};

// An item before a write, and as the client wants it. `before` is in the store's bytes.
struct WantedImages {
  std::optional<ItemView> before;
  std::optional<PackedItem> after;
};

// Applies the write to the stored item. Fails with ConditionalCheckFailed or the change's own error.
Result<WantedImages> wanted_images(const ItemWrite& write, const std::optional<std::string_view>& stored);

// Returns ConditionalCheckFailed in AWS's words, with the item when the client asked for it.
Error condition_failure(const ItemWrite& write, const std::optional<ItemView>& before);
// Returns the refusal of the table's rules, with the item when the client asked for it.
Error with_item(const ItemWrite& write, const std::optional<ItemView>& before, const Error& refusal);

}  // namespace tavola::engine
