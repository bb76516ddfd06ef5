// For tests: a database decorator that runs other code between two requests of its user.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "database/forwarding_database.h"

namespace tavola::runner {

class MeddledDatabase final : public ForwardingDatabase {
 public:
  // Called before each request, with the name of its operation. An error it returns is the request's result.
  using Meddle = std::function<Result<void>(std::string_view operation)>;
  MeddledDatabase(Database& database, Meddle meddle)
      : ForwardingDatabase(database), meddle_(std::move(meddle)) {}

  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    TAVOLA_CHECK(meddle_("PutItem"));
    return database().put_item(request);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    TAVOLA_CHECK(meddle_("GetItem"));
    return database().get_item(request);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    TAVOLA_CHECK(meddle_("UpdateItem"));
    return database().update_item(request);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    TAVOLA_CHECK(meddle_("DeleteItem"));
    return database().delete_item(request);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    TAVOLA_CHECK(meddle_("Query"));
    return database().query(request);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    TAVOLA_CHECK(meddle_("Scan"));
    return database().scan(request);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    TAVOLA_CHECK(meddle_("TransactWriteItems"));
    return database().transact_write_items(request);
  }

 private:
  Meddle meddle_;
};

}  // namespace tavola::runner
