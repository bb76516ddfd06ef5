// A decorator that injects faults, with AWS's errors. A failing request performs nothing; of a batch, all items but the
// unprocessed ones are performed.
#pragma once

#include <chrono>

#include "database/forwarding_database.h"
#include "server/layers/faults.h"

namespace tavola::server {

// Lives as long as one request; borrows its arguments, and remembers the injected faults.
class FaultyDatabase final : public ForwardingDatabase {
 public:
  FaultyDatabase(Database& database, Faults& faults) : ForwardingDatabase(database), faults_(faults) {}

  // Returns the delay of the response.
  std::chrono::milliseconds delay() const { return delay_; }
  // Returns whether the request failed by an injected fault.
  bool failed_on_purpose() const { return failed_on_purpose_; }

  Result<PutItemResponse> put_item(const PutItemRequest& request) override;
  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override;
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override;
  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override;
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override;
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override;

 private:
  // Fails if the request is to fail.
  // Returns the response, unless the fate is that the client does not get it.
  template <class Response>
  Result<Response> answered(const Fate& fate, Result<Response> response);
  Result<Fate> meet(const Asked& asked);

  Faults& faults_;
  std::chrono::milliseconds delay_{0};
  bool failed_on_purpose_ = false;
};

}  // namespace tavola::server
