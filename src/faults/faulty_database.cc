#include "faults/faulty_database.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/joined.h"
#include "database/divided_batches.h"
#include "value/limits.h"

namespace tavola::faults {
namespace {

// The API reference lists code and message of each, at TransactWriteItems; a single throttled request has this message.
constexpr const char* kThrottled =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API.";
constexpr const char* kConflict = "Transaction is ongoing for the item";
constexpr const char* kInternal = "Internal server error";

bool is_transaction(Operation operation) {
  return operation == Operation::TransactGetItems || operation == Operation::TransactWriteItems;
}

Error cancelled(const Asked& asked, const Fate& fate, CancellationReason reason) {
  std::vector<CancellationReason> reasons(asked.tables.size());
  reasons[fate.position] = std::move(reason);
  const std::string codes = joined(reasons, &CancellationReason::code);
  return {ErrorCode::TransactionCanceled,
          "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]",
          std::make_shared<TransactionCancellation>(std::move(reasons))};
}

Error failure_of(const Asked& asked, const Fate& fate) {
  const bool transaction = is_transaction(asked.operation);
  if (fate.failure == Kind::Throttle) {
    if (!transaction) return {ErrorCode::ProvisionedThroughputExceeded, kThrottled};
    return cancelled(asked, fate, {.code = "ProvisionedThroughputExceeded", .message = kThrottled});
  }
  if (fate.failure == Kind::Conflict) {
    if (!transaction) return {ErrorCode::TransactionConflict, kConflict};
    return cancelled(asked, fate, {.code = "TransactionConflict", .message = kConflict});
  }
  return Error::internal(kInternal);
}

template <class Table, class Items>
Asked asked_of(Operation operation, const std::vector<Table>& tables, Items Table::* items) {
  Asked asked{operation, {}};
  for (const Table& table : tables) {
    asked.tables.insert(asked.tables.end(), (table.*items).size(), std::string_view(table.table_name));
  }
  return asked;
}

std::string_view table_of(const TransactWrite& action) {
  return std::visit([](const auto& one) { return std::string_view(one.table_name); }, action);
}

}  // namespace

Result<Fate> FaultyDatabase::meet(const Asked& asked) {
  if (asked.tables.empty()) return Fate{};  // the request is wrong, and will be refused
  Fate fate = faults_.decide(asked);
  delay_ += fate.delay;
  if (!fate.failure) return fate;
  failed_on_purpose_ = true;
  return fail(failure_of(asked, fate));
}

Result<PutItemResponse> FaultyDatabase::put_item(const PutItemRequest& request) {
  TAVOLA_CHECK(meet({Operation::PutItem, {request.table_name}}));
  return database().put_item(request);
}

Result<GetItemResponse> FaultyDatabase::get_item(const GetItemRequest& request) {
  TAVOLA_CHECK(meet({Operation::GetItem, {request.table_name}}));
  return database().get_item(request);
}

Result<UpdateItemResponse> FaultyDatabase::update_item(const UpdateItemRequest& request) {
  TAVOLA_CHECK(meet({Operation::UpdateItem, {request.table_name}}));
  return database().update_item(request);
}

Result<DeleteItemResponse> FaultyDatabase::delete_item(const DeleteItemRequest& request) {
  TAVOLA_CHECK(meet({Operation::DeleteItem, {request.table_name}}));
  return database().delete_item(request);
}

Result<QueryResponse> FaultyDatabase::query(const QueryRequest& request) {
  TAVOLA_CHECK(meet({Operation::Query, {request.table_name}}));
  return database().query(request);
}

Result<ScanResponse> FaultyDatabase::scan(const ScanRequest& request) {
  TAVOLA_CHECK(meet({Operation::Scan, {request.table_name}}));
  return database().scan(request);
}

Result<BatchGetItemResponse> FaultyDatabase::batch_get_item(const BatchGetItemRequest& request) {
  TAVOLA_TRY(const Fate fate, meet(asked_of(Operation::BatchGetItem, request.tables, &KeysToGet::keys)));
  if (fate.unprocessed.empty() ||
      !may_be_divided(request.tables, &KeysToGet::keys, limits::kBatchGetKeysMax)) {
    return database().batch_get_item(request);
  }
  BatchParts<KeysToGet> parts = divide(request.tables, &KeysToGet::keys, fate.unprocessed);
  TAVOLA_TRY(BatchGetItemResponse response,
             database().batch_get_item({.tables = std::move(parts.now),
                                        .return_consumed_capacity = request.return_consumed_capacity}));
  put_into_order(request, std::move(parts), response);
  return response;
}

Result<BatchWriteItemResponse> FaultyDatabase::batch_write_item(const BatchWriteItemRequest& request) {
  TAVOLA_TRY(const Fate fate,
             meet(asked_of(Operation::BatchWriteItem, request.tables, &TableWrites::writes)));
  if (fate.unprocessed.empty() ||
      !may_be_divided(request.tables, &TableWrites::writes, limits::kBatchWritesMax))
    return database().batch_write_item(request);
  BatchParts<TableWrites> parts = divide(request.tables, &TableWrites::writes, fate.unprocessed);
  BatchWriteItemRequest now = request;
  now.tables = std::move(parts.now);
  TAVOLA_TRY(BatchWriteItemResponse response, database().batch_write_item(now));
  response.unprocessed_items = std::move(parts.later);
  return response;
}

Result<TransactGetItemsResponse> FaultyDatabase::transact_get_items(const TransactGetItemsRequest& request) {
  Asked asked{Operation::TransactGetItems, {}};
  for (const GetItemRequest& get : request.gets) asked.tables.emplace_back(get.table_name);
  TAVOLA_CHECK(meet(asked));
  return database().transact_get_items(request);
}

Result<TransactWriteItemsResponse> FaultyDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  Asked asked{Operation::TransactWriteItems, {}};
  for (const TransactWrite& action : request.actions) asked.tables.push_back(table_of(action));
  TAVOLA_CHECK(meet(asked));
  return database().transact_write_items(request);
}

}  // namespace tavola::faults
