#include "server/layers/faulty_database.h"

#include <algorithm>
#include <utility>

#include "database/divided_batches.h"
#include "database/messages.h"
#include "server/layers/table_of.h"
#include "value/limits.h"

namespace tavola::server {
namespace {

constexpr const char* kInternal = "Internal server error";

bool is_transaction(ItemOperation operation) {
  return operation == ItemOperation::TransactGetItems || operation == ItemOperation::TransactWriteItems;
}

Error cancelled(const Asked& asked, const Fate& fate, CancellationReason reason) {
  std::vector<CancellationReason> reasons(asked.tables.size());
  reasons[fate.position] = std::move(reason);
  return transaction_cancelled(std::move(reasons));
}

Error failure_of(const Asked& asked, const Fate& fate) {
  const bool transaction = is_transaction(asked.operation);
  if (fate.failure == FaultKind::Throttle) {
    if (!transaction) return {ErrorCode::ProvisionedThroughputExceeded, kTableThroughputExceeded};
    return cancelled(asked, fate,
                     {.code = "ProvisionedThroughputExceeded", .message = kTableThroughputExceeded});
  }
  if (fate.failure == FaultKind::Conflict) {
    if (!transaction) return {ErrorCode::TransactionConflict, kTransactionOngoing};
    return cancelled(asked, fate, {.code = "TransactionConflict", .message = kTransactionOngoing});
  }
  return Error::internal(kInternal);
}

template <class Table, class Items>
Asked asked_of(ItemOperation operation, const std::vector<Table>& tables, Items Table::* items) {
  Asked asked{operation, {}};
  for (const Table& table : tables) {
    asked.tables.insert(asked.tables.end(), (table.*items).size(), std::string_view(table.table_name));
  }
  return asked;
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

template <class Response>
Result<Response> FaultyDatabase::answered(const Fate& fate, Result<Response> response) {
  if (!fate.is_lost || !response) return response;
  failed_on_purpose_ = true;
  return fail(Error::internal(kInternal));
}

Result<PutItemResponse> FaultyDatabase::put_item(const PutItemRequest& request) {
  TAVOLA_TRY(const Fate fate, meet({ItemOperation::PutItem, {request.table_name}}));
  return answered(fate, database().put_item(request));
}

Result<GetItemResponse> FaultyDatabase::get_item(const GetItemRequest& request) {
  TAVOLA_CHECK(meet({ItemOperation::GetItem, {request.table_name}}));
  return database().get_item(request);
}

Result<UpdateItemResponse> FaultyDatabase::update_item(const UpdateItemRequest& request) {
  TAVOLA_TRY(const Fate fate, meet({ItemOperation::UpdateItem, {request.table_name}}));
  return answered(fate, database().update_item(request));
}

Result<DeleteItemResponse> FaultyDatabase::delete_item(const DeleteItemRequest& request) {
  TAVOLA_TRY(const Fate fate, meet({ItemOperation::DeleteItem, {request.table_name}}));
  return answered(fate, database().delete_item(request));
}

Result<QueryResponse> FaultyDatabase::query(const QueryRequest& request) {
  TAVOLA_CHECK(meet({ItemOperation::Query, {request.table_name}}));
  return database().query(request);
}

Result<ScanResponse> FaultyDatabase::scan(const ScanRequest& request) {
  TAVOLA_CHECK(meet({ItemOperation::Scan, {request.table_name}}));
  return database().scan(request);
}

Result<BatchGetItemResponse> FaultyDatabase::batch_get_item(const BatchGetItemRequest& request) {
  TAVOLA_TRY(const Fate fate, meet(asked_of(ItemOperation::BatchGetItem, request.tables, &KeysToGet::keys)));
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
             meet(asked_of(ItemOperation::BatchWriteItem, request.tables, &TableWrites::writes)));
  if (fate.unprocessed.empty() ||
      !may_be_divided(request.tables, &TableWrites::writes, limits::kBatchWritesMax))
    return answered(fate, database().batch_write_item(request));
  BatchParts<TableWrites> parts = divide(request.tables, &TableWrites::writes, fate.unprocessed);
  BatchWriteItemRequest now = request;
  now.tables = std::move(parts.now);
  TAVOLA_TRY(BatchWriteItemResponse response, database().batch_write_item(now));
  add_unprocessed(response, std::move(parts.later));
  return answered(fate, Result<BatchWriteItemResponse>(std::move(response)));
}

Result<TransactGetItemsResponse> FaultyDatabase::transact_get_items(const TransactGetItemsRequest& request) {
  Asked asked{ItemOperation::TransactGetItems, {}};
  for (const GetItemRequest& get : request.gets) asked.tables.emplace_back(get.table_name);
  TAVOLA_CHECK(meet(asked));
  return database().transact_get_items(request);
}

Result<TransactWriteItemsResponse> FaultyDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  Asked asked{ItemOperation::TransactWriteItems, {}};
  for (const TransactWrite& action : request.actions) asked.tables.push_back(table_of(action));
  TAVOLA_TRY(const Fate fate, meet(asked));
  return answered(fate, database().transact_write_items(request));
}

}  // namespace tavola::server
