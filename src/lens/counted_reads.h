// A Database that counts what its reads evaluate and return.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "database/forwarding_database.h"

namespace tavola::lens {

// Thread safety: one thread.
class CountedReads final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  struct Sent {
    std::string_view operation;
    std::int64_t scanned = 0;
    std::int64_t returned = 0;
  };
  const std::vector<Sent>& sent() const { return sent_; }

  Result<GetItemResponse> get_item(const GetItemRequest& r) override {
    return noted("GetItem", database().get_item(r),
                 [](const GetItemResponse& response) { return response.item ? 1 : 0; });
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& r) override {
    return noted("BatchGetItem", database().batch_get_item(r), [](const BatchGetItemResponse& response) {
      std::int64_t items = 0;
      for (const TableItems& one : response.tables) items += static_cast<std::int64_t>(one.items.size());
      return items;
    });
  }
  Result<QueryResponse> query(const QueryRequest& r) override { return paged("Query", database().query(r)); }
  Result<ScanResponse> scan(const ScanRequest& r) override { return paged("Scan", database().scan(r)); }

 private:
  template <class Response, class Count>
  Result<Response> noted(std::string_view operation, Result<Response> response, Count count) {
    if (response) sent_.push_back({operation, count(*response), count(*response)});
    return response;
  }
  Result<Page> paged(std::string_view operation, Result<Page> page) {
    if (page) sent_.push_back({operation, page->scanned_count, page->count});
    return page;
  }

  std::vector<Sent> sent_;
};

}  // namespace tavola::lens
