// PartiQL: statements in the dialect of SQL that DynamoDB has, on any Database.
//
//   TAVOLA_TRY(auto found, execute_statement(*db, {.statement = "SELECT * FROM Music WHERE Artist = ?",
//                                                  .parameters = {"Nina"}}));
//   for (const PackedItem& song : found.items) ...
//
// A statement becomes the equivalent requests of requests.h: SELECT is a Query if the WHERE clause gives the partition
// key (by = or IN), otherwise a Scan. Errors carry DynamoDB's exception and words. Thread safety: as the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/requests.h>
#include <tavola/value.h>

namespace tavola {

struct ExecuteStatementRequest {
  std::string statement{};          // up to 8192 characters
  std::vector<Value> parameters{};  // for each ? of the statement, in its order
  bool consistent_read = false;
  std::optional<std::int64_t> limit{};  // items evaluated, at least 1
  std::string next_token{};  // from the previous page of the same statement with the same parameters
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
};
struct ExecuteStatementResponse {
  std::vector<PackedItem> items{};  // found by SELECT, or asked for with RETURNING
  std::string next_token{};         // empty at the end
  std::optional<PackedItem> last_evaluated_key{};
  std::optional<ConsumedCapacity> consumed_capacity{};
};

// Executes a SELECT, INSERT, UPDATE or DELETE. An INSERT of an existing key fails with DuplicateItem, an UPDATE of a
// missing one with ConditionalCheckFailed.
Result<ExecuteStatementResponse> execute_statement(Database& database,
                                                   const ExecuteStatementRequest& request);

struct BatchStatement {
  std::string statement{};
  std::vector<Value> parameters{};
  bool consistent_read = false;
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
};
struct BatchExecuteStatementRequest {
  std::vector<BatchStatement> statements{};  // up to 25; either all read or all write one item
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};
struct BatchStatementError {
  std::string code{};  // "ValidationError", "ConditionalCheckFailed", "DuplicateItem" …
  std::string message{};
  std::optional<PackedItem> item{};  // of a failed condition, if requested
};
struct BatchStatementResponse {
  std::optional<BatchStatementError> error{};
  std::string table_name{};  // empty if the statement names no existing table
  std::optional<PackedItem> item{};
};
struct BatchExecuteStatementResponse {
  std::vector<BatchStatementResponse> responses{};    // in the order of the statements
  std::vector<ConsumedCapacity> consumed_capacity{};  // of the executed statements, in their order
};

// Executes each statement separately: one may fail while others succeed.
Result<BatchExecuteStatementResponse> batch_execute_statement(Database& database,
                                                              const BatchExecuteStatementRequest& request);

struct TransactStatement {
  std::string statement{};
  std::vector<Value> parameters{};
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
};
struct ExecuteTransactionRequest {
  std::vector<TransactStatement> statements{};  // up to 100: all SELECT, or none
  std::string client_request_token{};           // for writes: performed once within ten minutes
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};
struct ExecuteTransactionResponse {
  std::vector<std::optional<PackedItem>> items{};  // of the SELECTs, in their order
  std::vector<ConsumedCapacity> consumed_capacity{};
};

// Executes all statements or none; then the error is TransactionCanceled with its reasons. EXISTS(SELECT …) is a
// condition on an item that is not written.
Result<ExecuteTransactionResponse> execute_transaction(Database& database,
                                                       const ExecuteTransactionRequest& request);

}  // namespace tavola
