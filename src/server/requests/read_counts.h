// Counts the items that one request reads and gets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "database/forwarding_database.h"

namespace tavola::server {

struct ReadCounts {
  std::int64_t scanned = 0;
  std::int64_t returned = 0;
};

// Lives as long as a request. Borrows the database.
class ReadCountingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  // Returns nullopt if the request has read nothing.
  const std::optional<ReadCounts>& counts() const { return counts_; }

  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    Result<GetItemResponse> response = database().get_item(request);
    if (response) add_found(response->item ? 1 : 0);
    return response;
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    return counted(database().query(request));
  }
  Result<ScanResponse> scan(const ScanRequest& request) override { return counted(database().scan(request)); }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    Result<BatchGetItemResponse> response = database().batch_get_item(request);
    if (!response) return response;
    for (const TableItems& table : response->tables) add_found(static_cast<std::int64_t>(table.items.size()));
    return response;
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    Result<TransactGetItemsResponse> response = database().transact_get_items(request);
    if (!response) return response;
    add_found(std::ranges::count_if(response->items, [](const auto& item) { return item.has_value(); }));
    return response;
  }

 private:
  Result<Page> counted(Result<Page> page) {
    if (page) add({page->scanned_count, page->count});
    return page;
  }
  void add_found(std::int64_t items) { add({items, items}); }
  void add(const ReadCounts& more) {
    if (!counts_) counts_.emplace();
    counts_->scanned += more.scanned;
    counts_->returned += more.returned;
  }

  std::optional<ReadCounts> counts_;
};

}  // namespace tavola::server
