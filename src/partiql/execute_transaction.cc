#include <algorithm>

#include <tavola/partiql.h>

#include "database/constraints.h"
#include "database/messages.h"
#include "partiql/messages.h"
#include "partiql/perform.h"
#include "value/limits.h"

namespace tavola::partiql {
namespace {

Error in_statement(std::size_t index, const Error& error) {
  if (error.code() != ErrorCode::Validation) return error;
  return messages::refused("Validation failed in TransactStatements[" + std::to_string(index) +
                           "]: " + error.message());
}

CancellationReason validation_reason(std::string message) {
  return {.code = "ValidationError", .message = std::move(message), .item = std::nullopt};
}

class Transaction {
 public:
  Transaction(Database& database, const ExecuteTransactionRequest& request)
      : database_(database), request_(request), reasons_(request.statements.size()) {}

  Result<ExecuteTransactionResponse> run() {
    TAVOLA_CHECK(prepare_all());
    TAVOLA_CHECK(plan_all());
    const bool is_fine =
        std::ranges::all_of(reasons_, [](const CancellationReason& reason) { return reason.code == "None"; });
    if (!is_fine) return fail(transaction_cancelled(std::move(reasons_)));
    return is_read(prepared_.front().statement) ? read() : write();
  }

 private:
  Result<void> prepare_all() {
    for (std::size_t i = 0; i < request_.statements.size(); ++i) {
      const TransactStatement& statement = request_.statements[i];
      TAVOLA_CHECK(check_statement_size(statement.statement,
                                        "transactStatements." + std::to_string(i + 1) + ".member.statement"));
      Result<Prepared> prepared = prepare(statement.statement, statement.parameters);
      if (!prepared) return fail(in_statement(i, prepared.error()));
      prepared_.push_back(*std::move(prepared));
    }
    const auto reads =
        std::ranges::count_if(prepared_, [](const Prepared& one) { return is_read(one.statement); });
    if (reads != 0 && static_cast<std::size_t>(reads) != prepared_.size()) {
      return fail(messages::refused(
          "ExecuteTransaction API does not support both read and write operations in the same request."));
    }
    return {};
  }

  // A wrong statement refuses the request; a missing table or a wrong key cancels the transaction.
  Result<void> plan_all() {
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      Prepared& prepared = prepared_[i];
      const Result<TableDescription> table = describe(database_, prepared);
      if (!table && table.error().code() == ErrorCode::ResourceNotFound) {
        reasons_[i] = {.code = "ResourceNotFound", .message = table.error().message(), .item = std::nullopt};
        continue;
      }
      if (!table) return fail(table.error());
      const Result<void> planned = plan_one(prepared, *table, request_.statements[i]);
      if (planned) continue;
      if (planned.error().detail<KeyRefused>() == nullptr) return fail(in_statement(i, planned.error()));
      reasons_[i] = validation_reason("The provided key element does not match the schema");
    }
    return {};
  }

  static Result<void> check_no_returning(const Statement& statement) {
    const auto* update = std::get_if<Update>(&statement);
    const auto* remove = std::get_if<Delete>(&statement);
    const bool returns = (update != nullptr && update->returning) || (remove != nullptr && remove->returning);
    if (!returns) return {};
    return fail(messages::refused("RETURNING clause is not supported in ExecuteTransaction."));
  }

  Result<void> plan_one(Prepared& prepared, const TableDescription& table,
                        const TransactStatement& statement) {
    if (is_read(prepared.statement)) {
      if (!prepared.index.empty()) {
        return fail(messages::refused("Reads on indices are not supported within transactions."));
      }
      TAVOLA_TRY(GetItemRequest get,
                 plan_get(prepared, table, {},
                          messages::refused(
                              "Select statements within ExecuteTransaction must specify the primary key in "
                              "the where clause.")));
      gets_.gets.push_back(std::move(get));
      return {};
    }
    TAVOLA_CHECK(check_no_returning(prepared.statement));
    TAVOLA_TRY(TransactWrite write,
               plan_write(prepared, table, {.on_condition_failure = statement.on_condition_failure}));
    writes_.actions.push_back(std::move(write));
    return {};
  }

  Result<ExecuteTransactionResponse> read() {
    gets_.return_consumed_capacity = request_.return_consumed_capacity;
    Result<TransactGetItemsResponse> found = database_.transact_get_items(gets_);
    if (!found) return fail(error_of_client(found.error()));
    ExecuteTransactionResponse response{.consumed_capacity = std::move(found->consumed_capacity)};
    for (std::size_t i = 0; i < found->items.size(); ++i) {
      std::optional<PackedItem>& item = found->items[i];
      if (item) item = as_columns(*std::move(item), prepared_[i].columns);
      response.items.push_back(std::move(item));
    }
    return response;
  }

  Result<ExecuteTransactionResponse> write() {
    writes_.client_request_token = request_.client_request_token;
    writes_.return_consumed_capacity = request_.return_consumed_capacity;
    Result<TransactWriteItemsResponse> written = database_.transact_write_items(writes_);
    if (!written) return fail(error_of_client(written.error()));
    return ExecuteTransactionResponse{.consumed_capacity = std::move(written->consumed_capacity)};
  }

  // An INSERT's condition is that the item is missing.
  Error error_of_client(const Error& error) const {
    const auto* cancellation = error.detail<TransactionCancellation>();
    if (cancellation == nullptr || cancellation->reasons.size() != prepared_.size()) {
      return error.code() == ErrorCode::AccessDenied ? error_of_statement(error, prepared_.front().statement)
                                                     : messages::without_parameter_name(error);
    }
    std::vector<CancellationReason> reasons = cancellation->reasons;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      const bool is_insert = std::holds_alternative<Insert>(prepared_[i].statement);
      const bool is_condition =
          reasons[i].code == "ConditionalCheckFailed" && reasons[i].message == kConditionFailed;
      if (!is_insert || !is_condition) continue;
      reasons[i].code = "DuplicateItem";
      reasons[i].message = messages::duplicate_item().message();
    }
    return transaction_cancelled(std::move(reasons));
  }

  Database& database_;
  const ExecuteTransactionRequest& request_;
  std::vector<Prepared> prepared_;
  std::vector<CancellationReason> reasons_;
  TransactGetItemsRequest gets_;
  TransactWriteItemsRequest writes_;
};

}  // namespace
}  // namespace tavola::partiql

namespace tavola {

Result<ExecuteTransactionResponse> execute_transaction(Database& database,
                                                       const ExecuteTransactionRequest& request) {
  using namespace partiql;  // NOLINT(google-build-using-namespace)
  if (request.statements.empty()) {
    return fail(broken_constraint("[]", "transactStatements", "have length greater than or equal to 1"));
  }
  if (request.statements.size() > limits::kTransactionActionsMax) {
    return fail(broken_constraint("[...]", "transactStatements", "have length less than or equal to 100"));
  }
  return Transaction(database, request).run();
}

}  // namespace tavola
