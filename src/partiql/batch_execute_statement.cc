#include <algorithm>

#include <tavola/partiql.h>

#include "database/constraints.h"
#include "partiql/messages.h"
#include "partiql/perform.h"

namespace tavola::partiql {
namespace {

// The code that a batch reports for an error of one of its statements (API reference, BatchStatementError).
std::string_view code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::ConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorCode::LimitExceeded:
      return "RequestLimitExceeded";
    case ErrorCode::ProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorCode::TransactionConflict:
      return "TransactionConflict";
    case ErrorCode::Throttling:
      return "ThrottlingError";
    case ErrorCode::ResourceNotFound:
    case ErrorCode::TableNotFound:
      return "ResourceNotFound";
    case ErrorCode::AccessDenied:
      return "AccessDenied";
    case ErrorCode::DuplicateItem:
      return "DuplicateItem";
    default:
      return code >= ErrorCode::Internal ? "InternalServerError" : "ValidationError";
  }
}

BatchStatementError as_statement_error(const Error& error) {
  BatchStatementError made{std::string(code_of(error.code())), error.message(), std::nullopt};
  if (const auto* failure = error.detail<ConditionFailure>()) made.item = failure->item;
  return made;
}

class Batch {
 public:
  Batch(Database& database, const BatchExecuteStatementRequest& request)
      : database_(database), request_(request) {}

  Result<BatchExecuteStatementResponse> run() {
    std::vector<Result<Prepared>> prepared;
    std::ranges::transform(request_.statements, std::back_inserter(prepared), prepare_one);
    const auto reads = [](const Result<Prepared>& one) { return one && is_read(one->statement); };
    const auto writes = [](const Result<Prepared>& one) { return one && !is_read(one->statement); };
    if (std::ranges::any_of(prepared, reads) && std::ranges::any_of(prepared, writes)) {
      return fail(messages::refused(
          "BatchExecuteStatement API does not support both read and write operations in the same request."));
    }
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      BatchStatementResponse& response = response_.responses.emplace_back();
      const Result<void> done = prepared[i] ? perform_one(request_.statements[i], *prepared[i], response)
                                            : fail(prepared[i].error());
      if (!done) response.error = as_statement_error(done.error());
    }
    return std::move(response_);
  }

 private:
  static Result<Prepared> prepare_one(const BatchStatement& statement) {
    TAVOLA_CHECK(check_statement_size(statement.statement, "statement"));
    TAVOLA_TRY(Prepared prepared, prepare(statement.statement, statement.parameters));
    if (std::holds_alternative<Exists>(prepared.statement))
      return fail(messages::exists_outside_transaction());
    return prepared;
  }

  Result<void> perform_one(const BatchStatement& statement, Prepared& prepared,
                           BatchStatementResponse& response) {
    TAVOLA_TRY(const TableDescription table, describe(database_, prepared));
    response.table_name = source_of(prepared.statement).table;
    const Result<void> done = is_read(prepared.statement) ? read_one(statement, prepared, table, response)
                                                          : write_one(statement, prepared, table, response);
    if (!done) return fail(error_of_statement(done.error(), prepared.statement));
    return {};
  }

  Result<void> read_one(const BatchStatement& statement, Prepared& prepared, const TableDescription& table,
                        BatchStatementResponse& response) {
    const ReadOptions options{statement.consistent_read, request_.return_consumed_capacity};
    TAVOLA_TRY(const GetItemRequest get,
               plan_get(prepared, table, options,
                        messages::refused(
                            "Select statements within BatchExecuteStatement must specify the primary key "
                            "in the where clause.")));
    TAVOLA_TRY(GetItemResponse found, database_.get_item(get));
    if (found.item) response.item = as_columns(*std::move(found.item), prepared.columns);
    if (found.consumed_capacity) response_.consumed_capacity.push_back(*std::move(found.consumed_capacity));
    return {};
  }

  Result<void> write_one(const BatchStatement& statement, Prepared& prepared, const TableDescription& table,
                         BatchStatementResponse& response) {
    TAVOLA_TRY(
        const TransactWrite write,
        plan_write(prepared, table, {statement.on_condition_failure, request_.return_consumed_capacity}));
    TAVOLA_TRY(WriteItemResponse written, perform(database_, write));
    if (written.attributes && !written.attributes->empty()) response.item = std::move(written.attributes);
    if (written.consumed_capacity)
      response_.consumed_capacity.push_back(*std::move(written.consumed_capacity));
    return {};
  }

  Database& database_;
  const BatchExecuteStatementRequest& request_;
  BatchExecuteStatementResponse response_;
};

}  // namespace
}  // namespace tavola::partiql

namespace tavola {

Result<BatchExecuteStatementResponse> batch_execute_statement(Database& database,
                                                              const BatchExecuteStatementRequest& request) {
  using namespace partiql;  // NOLINT(google-build-using-namespace)
  if (request.statements.empty()) {
    return fail(broken_constraint("[]", "statements", "have length greater than or equal to 1"));
  }
  if (request.statements.size() > kBatchStatementsMax) {
    return fail(broken_constraint("[...]", "statements", "have length less than or equal to 25"));
  }
  return Batch(database, request).run();
}

}  // namespace tavola
