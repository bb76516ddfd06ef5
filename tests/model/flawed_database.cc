#include "tests/model/flawed_database.h"

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tavola::model {
namespace {

class FlawedDatabase final : public Database {
 public:
  FlawedDatabase(std::unique_ptr<Database> sound, Flaw flaw) : sound_(std::move(sound)), flaw_(flaw) {}

  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override {
    keys_[request.table_name] = request.key_schema;
    return sound_->create_table(request);
  }
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    return sound_->describe_table(request);
  }
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override {
    return sound_->list_tables(request);
  }
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override {
    return sound_->update_table(request);
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override {
    return sound_->delete_table(request);
  }

  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    auto response = sound_->put_item(without_condition(request));
    if (response && strikes(Flaw::LosesIndexEntry, 50)) {
      lost_.insert(key_of(request.table_name, request.item));
    }
    return response;
  }

  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    auto response = sound_->get_item(request);
    if (!response) return response;
    std::optional<ConsumedCapacity>& consumed = response->consumed_capacity;
    if (consumed && strikes(Flaw::OverchargesReads, 20)) consumed->units += 0.5;
    return response;
  }

  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    UpdateItemRequest changed = without_condition(request);
    if (strikes(Flaw::DropsUpdate, 50)) {  // the item stays unchanged; the response is that of the update
      const auto read = sound_->get_item({.table_name = request.table_name, .key = request.key});
      const std::optional<PackedItem> before = read ? read->item : std::nullopt;
      auto response = sound_->update_item(request);
      if (!response) return response;
      auto restored = before ? sound_->put_item({.table_name = request.table_name, .item = *before})
                             : sound_->delete_item({.table_name = request.table_name, .key = request.key});
      if (!restored) return restored;
      return response;
    }
    if (flaw_ == Flaw::ReturnsNewForOld) {
      if (request.return_values == ReturnValues::AllOld) changed.return_values = ReturnValues::AllNew;
      if (request.return_values == ReturnValues::UpdatedOld) changed.return_values = ReturnValues::UpdatedNew;
    }
    return sound_->update_item(changed);
  }

  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    return sound_->delete_item(without_condition(request));
  }

  Result<QueryResponse> query(const QueryRequest& request) override {
    QueryRequest changed = request;
    if (!request.scan_index_forward && strikes(Flaw::ReversesBackwards, 10))
      changed.scan_index_forward = true;
    if (request.exclusive_start_key && strikes(Flaw::RepeatsLastItem, 20))
      changed.exclusive_start_key.reset();
    return spoiled(request, sound_->query(changed));
  }

  Result<ScanResponse> scan(const ScanRequest& request) override {
    return spoiled(request, sound_->scan(request));
  }

  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    return sound_->batch_get_item(request);
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    return sound_->batch_write_item(request);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    return sound_->transact_get_items(request);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    if (request.actions.size() < 2 || !strikes(Flaw::HalvesTransaction, 10)) {
      return sound_->transact_write_items(request);
    }
    const auto [table, key] = target_of(request.actions.back());
    const auto read = sound_->get_item({.table_name = table, .key = key});
    const std::optional<PackedItem> before = read ? read->item : std::nullopt;
    auto response = sound_->transact_write_items(request);
    if (!response) return response;
    const auto undone = before ? sound_->put_item({.table_name = table, .item = *before})
                               : sound_->delete_item({.table_name = table, .key = key});
    if (!undone) return std::unexpected(undone.error());
    return response;
  }
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) override {
    return sound_->update_time_to_live(request);
  }
  Result<DescribeTimeToLiveResponse> describe_time_to_live(
      const DescribeTimeToLiveRequest& request) override {
    return sound_->describe_time_to_live(request);
  }
  Result<void> tag_resource(const TagResourceRequest& request) override {
    return sound_->tag_resource(request);
  }
  Result<void> untag_resource(const UntagResourceRequest& request) override {
    return sound_->untag_resource(request);
  }
  Result<ListTagsOfResourceResponse> list_tags_of_resource(
      const ListTagsOfResourceRequest& request) override {
    return sound_->list_tags_of_resource(request);
  }

 private:
  // Returns whether the flaw is this one and is due.
  bool strikes(Flaw flaw, std::size_t every) { return flaw_ == flaw && ++chances_ % every == 0; }

  template <class Request>
  Request without_condition(const Request& request) {
    Request changed = request;
    if (!request.condition_expression.empty() && strikes(Flaw::IgnoresCondition, 10)) {
      // Replaces the condition by one that holds and uses the same names and values: NOT (c) OR (c).
      changed.condition_expression =
          "(" + request.condition_expression + ") OR NOT (" + request.condition_expression + ")";
    }
    return changed;
  }

  static void drop(Page& page, std::size_t position) {
    page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(position));
    --page.count;
    --page.scanned_count;
  }

  Item key_in(const std::string& table, const PackedItem& item) {
    Item key;
    const Item whole = item.unpack();
    for (const KeySchemaElement& element : keys_[table]) {
      if (const auto found = whole.find(element.name); found != whole.end()) key.insert(*found);
    }
    return key;
  }
  // Returns a key as text, with its table.
  std::string key_of(const std::string& table, const PackedItem& item) {
    return table + to_json(key_in(table, item));
  }
  std::pair<std::string, PackedItem> target_of(const TransactWrite& action) {
    if (const auto* put = std::get_if<PutItemRequest>(&action)) {
      return {put->table_name, *pack(key_in(put->table_name, put->item))};
    }
    if (const auto* update = std::get_if<UpdateItemRequest>(&action))
      return {update->table_name, update->key};
    if (const auto* remove = std::get_if<DeleteItemRequest>(&action))
      return {remove->table_name, remove->key};
    const auto& check = std::get<ConditionCheck>(action);
    return {check.table_name, check.key};
  }

  template <class Request>
  Result<Page> spoiled(const Request& request, Result<Page> page) {
    if (!page) return page;
    if (!request.index_name.empty() && !lost_.empty()) {
      for (std::size_t i = page->items.size(); i > 0; --i) {
        if (lost_.contains(key_of(request.table_name, page->items[i - 1]))) drop(*page, i - 1);
      }
    }
    if (!page->items.empty() && strikes(Flaw::SkipsItemInPage, 20)) drop(*page, 0);
    if (page->last_evaluated_key && strikes(Flaw::ForgetsLastKey, 20)) page->last_evaluated_key.reset();
    if (page->count != page->scanned_count && strikes(Flaw::MiscountsScanned, 20))
      page->scanned_count = page->count;
    return page;
  }

  std::unique_ptr<Database> sound_;
  Flaw flaw_;
  std::atomic<std::size_t> chances_ = 0;
  std::map<std::string, std::vector<KeySchemaElement>> keys_;  // by table
  std::set<std::string> lost_;                                 // keys that indexes no longer return
};

}  // namespace

std::unique_ptr<Database> with_flaw(std::unique_ptr<Database> sound, Flaw flaw) {
  return std::make_unique<FlawedDatabase>(std::move(sound), flaw);
}

}  // namespace tavola::model
