// A database that counts what its requests consume, and runs other code before or instead of them. For tests only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "database/forwarding_database.h"

namespace tavola::governed {

struct Metered {
  double read_units = 0;
  double write_units = 0;
  std::vector<std::string> requests;  // their operations
};

class MeteredDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  // Called before each request of an item; an error is the request's result.
  std::function<Result<void>(std::string_view operation)> before{};
  // Called after each write; an error replaces its answer, although it happened.
  std::function<Result<void>(std::string_view operation)> after{};

  Metered take() { return std::exchange(metered_, {}); }

  Result<PutItemResponse> put_item(const PutItemRequest& r) override {
    return write("PutItem", r, &Database::put_item);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& r) override {
    return write("UpdateItem", r, &Database::update_item);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& r) override {
    return write("DeleteItem", r, &Database::delete_item);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& r) override {
    seen_tokens.push_back(r.client_request_token);
    return write("TransactWriteItems", r, &Database::transact_write_items);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& r) override {
    return read("GetItem", r, &Database::get_item);
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& r) override {
    return read("BatchGetItem", r, &Database::batch_get_item);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& r) override {
    return read("TransactGetItems", r, &Database::transact_get_items);
  }
  Result<QueryResponse> query(const QueryRequest& r) override { return read("Query", r, &Database::query); }

  std::vector<std::string> seen_tokens{};

 private:
  static double units(const std::optional<ConsumedCapacity>& consumed) {
    return consumed ? consumed->units : 0;
  }
  static double units(const std::vector<ConsumedCapacity>& consumed) {
    double sum = 0;
    for (const ConsumedCapacity& one : consumed) sum += one.units;
    return sum;
  }

  template <class Request, class Response>
  Result<Response> write(std::string_view operation, Request request,
                         Result<Response> (Database::*perform)(const Request&)) {
    metered_.requests.emplace_back(operation);
    if (before) TAVOLA_CHECK(before(operation));
    request.return_consumed_capacity = ReturnConsumedCapacity::Total;
    TAVOLA_TRY(Response response, (database().*perform)(request));
    metered_.write_units += units(response.consumed_capacity);
    if (after) TAVOLA_CHECK(after(operation));
    return response;
  }

  template <class Request, class Response>
  Result<Response> read(std::string_view operation, Request request,
                        Result<Response> (Database::*perform)(const Request&)) {
    metered_.requests.emplace_back(operation);
    if (before) TAVOLA_CHECK(before(operation));
    request.return_consumed_capacity = ReturnConsumedCapacity::Total;
    TAVOLA_TRY(Response response, (database().*perform)(request));
    metered_.read_units += units(response.consumed_capacity);
    return response;
  }

  Metered metered_;
};

}  // namespace tavola::governed
