// A database in front of another one, which meets faults on purpose, in AWS's words. What fails does so before anything is
// performed; of a batch, what is not unprocessed is performed.
#pragma once

#include <chrono>

#include "database/forwarding_database.h"
#include "server/layers/faults.h"

namespace tavola::server {

// Lives as long as one request: borrows all it is given, and remembers what the request met.
class FaultyDatabase final : public ForwardingDatabase {
 public:
  FaultyDatabase(Database& database, Faults& faults) : ForwardingDatabase(database), faults_(faults) {}

  // How late the answer shall be.
  std::chrono::milliseconds delay() const { return delay_; }
  // The request failed because it should.
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
  // Fails as the request shall.
  Result<Fate> meet(const Asked& asked);

  Faults& faults_;
  std::chrono::milliseconds delay_{0};
  bool failed_on_purpose_ = false;
};

}  // namespace tavola::server
