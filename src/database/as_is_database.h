// AsIsDatabase: a Database whose writes and scans are all as they are (`as_is`, items.h), for copies of tables.
#pragma once

#include "database/forwarding_database.h"

namespace tavola {

// Borrows the database.
class AsIsDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  Result<PutItemResponse> put_item(const PutItemRequest& r) override { return database().put_item(as_is(r)); }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& r) override {
    return database().update_item(as_is(r));
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& r) override {
    return database().delete_item(as_is(r));
  }
  Result<ScanResponse> scan(const ScanRequest& r) override { return database().scan(as_is(r)); }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& r) override {
    return database().batch_write_item(as_is(r));
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& r) override {
    return database().transact_write_items(as_is(r));
  }

 private:
  template <class Request>
  static Request as_is(Request request) {
    request.as_is = true;
    return request;
  }
};

}  // namespace tavola
