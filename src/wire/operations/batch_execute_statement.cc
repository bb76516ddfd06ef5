#include <ranges>

#include <tavola/partiql.h>

#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/partiql_shapes.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

// One more than allowed is enough to refuse them.
constexpr std::size_t kStatementsRead = 26;

BatchStatement read_statement(const Fields& in, Problems& values) {
  BatchStatement statement;
  statement.statement = wire::read_statement(in);
  statement.consistent_read = in.boolean("ConsistentRead").value_or(false);
  statement.on_condition_failure = read_failure_wish(in);
  statement.parameters = read_parameters(in, values);
  return statement;
}

void write_error(json::Writer& json, const BatchStatementError& error) {
  json.name("Error").begin_object();
  json.name("Code").text(error.code);
  if (error.item) {
    json.name("Item");
    write_item(json, error.item->view());
  }
  json.name("Message").text(error.message);
  json.end_object();
}

void write_response(json::Writer& json, const BatchStatementResponse& response) {
  json.begin_object();
  if (response.error) write_error(json, *response.error);
  if (response.item) {
    json.name("Item");
    write_item(json, response.item->view());
  }
  if (!response.table_name.empty()) json.name("TableName").text(response.table_name);
  json.end_object();
}

}  // namespace

Result<std::string> batch_execute_statement(const Call& call) {
  Problems problems(kStatementValues);
  const Fields in(call.body, problems);
  BatchExecuteStatementRequest request;
  std::vector<std::optional<Error>> refused;  // by statement
  const auto statements = in.structures("Statements", "BatchStatementRequest", Presence::Required)
                              .value_or(std::vector<Fields>());
  for (const Fields& fields : statements | std::views::take(kStatementsRead)) {
    Problems values(kStatementValues);
    BatchStatement statement = read_statement(fields, values);
    const Result<void> checked = values.check();
    if (!checked && checked.error().code() == ErrorCode::Serialization) return fail(checked.error());
    refused.push_back(checked ? std::nullopt : std::optional(checked.error()));
    // If there are too many, all count.
    if (checked || statements.size() >= kStatementsRead) request.statements.push_back(std::move(statement));
  }
  request.return_consumed_capacity = read_capacity_wish(in);
  TAVOLA_CHECK(problems.check());
  BatchExecuteStatementResponse response;
  if (!request.statements.empty() || refused.empty()) {
    TAVOLA_TRY(response, tavola::batch_execute_statement(call.database, request));
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.name("Responses").begin_list();
  auto next = response.responses.begin();
  for (const std::optional<Error>& one : refused) {
    if (one) {
      write_response(json, {.error = BatchStatementError{"ValidationError", one->message(), std::nullopt}});
    } else {
      write_response(json, *next++);
    }
  }
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire
