#include "engine/write/item_write.h"

#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "engine/write/index_entries.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

std::string growing_collection(const TableSchema& table, const ItemView& item) {
  return table.has_local_index ? collection_key(table, item) : std::string();
}

KeepBefore keep_before(ReturnValues wanted) {
  return wanted == ReturnValues::AllOld || wanted == ReturnValues::UpdatedOld ? KeepBefore::Yes
                                                                              : KeepBefore::No;
}

// The size that DynamoDB charges is never above that of the packed bytes (item_size_test.cc), so few items must be measured.
bool is_too_large(const ItemView& item) {
  return item.bytes().size() > limits::kItemBytesMax && item_size(item) > limits::kItemBytesMax;
}

// An item and its entries in all local indexes share one limit (Developer Guide, "Constraints", Items). An entry is at most as
// large as its item: few items must be looked at closer. Its index keys were checked.
bool is_too_large(const TableSchema& table, const ItemView& item) {
  if (!table.has_local_index) return is_too_large(item);
  const std::size_t bytes = item_size(item);
  const bool may_be = bytes > limits::kItemBytesMax / (1 + limits::kLocalIndexesMax);
  return bytes + (may_be ? local_entries_size(table, item) : 0) > limits::kItemBytesMax;
}

Result<void> check_update_spares_key(const TableSchema& table, const expr::Update& update) {
  for (const std::string& attribute : update.attributes()) {
    if (table.key.find(attribute) != nullptr) {
      return fail(key_not_updatable(attribute));
    }
  }
  return {};
}

// An update of an absent item that only removes makes nothing; one that names no attribute makes the key
// alone.
bool makes_nothing(const expr::Update& update) {
  return update.only_removes() && !update.attributes().empty();
}

Result<std::optional<PackedItem>> updated(const TableSchema& table, const ItemView& key,
                                          const expr::Update& update, const std::optional<ItemView>& before) {
  if (!before && makes_nothing(update)) {
    return std::nullopt;
  }
  TAVOLA_TRY(PackedItem after, before ? update.apply(*before) : update.apply(key, expr::ItemState::New));
  if (is_too_large(after.view())) {
    return fail(updated_item_too_large());
  }
  if (!table.indexes.empty()) {
    TAVOLA_CHECK(check_updated_index_keys(table, after.view(), update.attributes()));
    if (table.has_local_index && is_too_large(table, after.view())) return fail(updated_item_too_large());
  }
  return after;
}

// Returns the detail of a failed condition, if the client asked for the item.
std::shared_ptr<ConditionFailure> failure_of(const ItemWrite& write, const std::optional<ItemView>& before) {
  const bool wants_item = write.on_condition_failure == ReturnValuesOnConditionCheckFailure::AllOld;
  return wants_item && before ? std::make_shared<ConditionFailure>(PackedItem(*before)) : nullptr;
}

}  // namespace

Result<void> check_item_size(const ItemView& item) {
  if (is_too_large(item)) {
    return fail(item_too_large());
  }
  return {};
}

Result<void> check_stored_size(const TableSchema& table, const ItemView& item) {
  if (is_too_large(table, item)) {
    return fail(item_too_large());
  }
  return {};
}

Result<void> check_made_item(const TableSchema& table, const std::optional<ItemView>& before,
                             const ItemView& item) {
  TAVOLA_CHECK(check_changed_index_keys(table, before, item));
  return check_stored_size(table, item);
}

Result<ItemWrite> prepare(const TableSchema& table, const PutItemRequest& request,
                          const WriteParameters& parameters) {
  const ItemView item = request.item.view();
  TAVOLA_CHECK(check_item_key(table, item));
  TAVOLA_CHECK(check_index_keys(table, item, WrittenBy::Put));
  if (table.has_local_index) TAVOLA_CHECK(check_stored_size(table, item));
  const auto put = [&request](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
    return request.item;
  };
  return ItemWrite{table,
                   item_key(table, item),
                   parameters.condition,
                   request.on_condition_failure,
                   keep_before(request.return_values),
                   put,
                   growing_collection(table, item),
                   0,
                   false,
                   nullptr,
                   &request.item};
}

Result<ItemWrite> prepare(const TableSchema& table, const DeleteItemRequest& request,
                          const WriteParameters& parameters) {
  const ItemView key = request.key.view();
  TAVOLA_CHECK(check_key(table.key, key));
  const auto remove = [](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
    return std::nullopt;
  };
  return ItemWrite{table,
                   item_key(table, key),
                   parameters.condition,
                   request.on_condition_failure,
                   keep_before(request.return_values),
                   remove};
}

Result<ItemWrite> prepare(const TableSchema& table, const UpdateItemRequest& request,
                          const WriteParameters& parameters) {
  const ItemView key = request.key.view();
  TAVOLA_CHECK(check_key(table.key, key));
  TAVOLA_CHECK(check_update_spares_key(table, parameters.update));
  if (!table.indexes.empty()) {
    TAVOLA_CHECK(check_known_types(table, parameters.update.known_types()));
  }
  TAVOLA_CHECK(check_nested_paths(table, parameters.update.nested_attributes()));
  const auto update = [&table, key, &parameters](const std::optional<ItemView>& before) {
    return updated(table, key, parameters.update, before);
  };
  return ItemWrite{table,
                   item_key(table, key),
                   parameters.condition,
                   request.on_condition_failure,
                   keep_before(request.return_values),
                   update,
                   growing_collection(table, key),
                   0,
                   false,
                   &parameters.update};
}

Result<ItemWrite> prepare(const TableSchema& table, const ConditionCheck& request,
                          const WriteParameters& parameters) {
  const ItemView key = request.key.view();
  TAVOLA_CHECK(check_key(table.key, key));
  return ItemWrite{
      table, item_key(table, key), parameters.condition, request.on_condition_failure, KeepBefore::No, {}};
}

Error condition_failure(const ItemWrite& write, const std::optional<ItemView>& before) {
  return condition_failed(failure_of(write, before));
}

Error with_item(const ItemWrite& write, const std::optional<ItemView>& before, const Error& refusal) {
  const std::shared_ptr<ConditionFailure> failure = failure_of(write, before);
  if (failure == nullptr) return refusal;
  failure->cause = refusal.detail();
  return {refusal.code(), refusal.message(), failure};
}

Result<WantedImages> wanted_images(const ItemWrite& write, const std::optional<std::string_view>& stored) {
  WantedImages images;
  if (stored) images.before.emplace(*stored);
  if (!write.condition.holds(images.before ? *images.before : ItemView())) {
    return fail(condition_failure(write, images.before));
  }
  if (write.change) {
    TAVOLA_TRY(images.after, write.change(images.before));
  } else if (images.before) {
    images.after.emplace(*images.before);
  }
  return images;
}

Result<void> look_up_collection(const store::Store& store, ItemWrite& write) {
  if (write.collection.empty()) {
    return {};
  }
  TAVOLA_TRY(const std::optional<std::string> stored, store.get(write.collection));
  TAVOLA_TRY(const std::vector<std::int64_t> bytes,
             store::decode_counters(stored.value_or(std::string()), 1));
  write.collection_bytes = bytes[0];
  return {};
}

}  // namespace tavola::engine
