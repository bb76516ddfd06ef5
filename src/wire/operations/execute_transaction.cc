#include <ranges>

#include <tavola/partiql.h>

#include "value/limits.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/partiql_shapes.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> execute_transaction(const Call& call) {
  Problems problems(kStatementValues);
  const Fields in(call.body, problems);
  ExecuteTransactionRequest request;
  request.client_request_token = read_request_token(in);
  request.return_consumed_capacity = read_capacity_wish(in);
  const auto statements = in.structures("TransactStatements", "ParameterizedStatement", Presence::Required)
                              .value_or(std::vector<Fields>());
  // One more than allowed is enough to refuse them.
  for (const Fields& fields : statements | std::views::take(limits::kTransactionActionsMax + 1)) {
    TransactStatement& statement = request.statements.emplace_back();
    statement.statement = read_statement(fields);
    statement.parameters = read_parameters(fields, problems);
    statement.on_condition_failure = read_failure_wish(fields);
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ExecuteTransactionResponse response, tavola::execute_transaction(call.database, request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  write_items_member(json, response.items);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
