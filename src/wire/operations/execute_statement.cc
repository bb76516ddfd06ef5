#include <tavola/partiql.h>

#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/partiql_shapes.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> execute_statement(const Call& call) {
  Problems problems(kStatementValues);
  const Fields in(call.body, problems);
  ExecuteStatementRequest request;
  request.statement = read_statement(in);
  request.parameters = read_parameters(in, problems);
  request.consistent_read = in.boolean("ConsistentRead").value_or(false);
  request.next_token = read_next_token(in);
  request.return_consumed_capacity = read_capacity_wish(in);
  request.limit = in.integer("Limit", kInteger, {.least = 1});
  request.on_condition_failure = read_failure_wish(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ExecuteStatementResponse response, tavola::execute_statement(call.database, request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_capacity_member(json, response.consumed_capacity);
  json.name("Items").begin_list();
  for (const PackedItem& item : response.items) write_item(json, item.view());
  json.end_list();
  if (response.last_evaluated_key) {
    json.name("LastEvaluatedKey");
    write_item(json, response.last_evaluated_key->view());
  }
  if (!response.next_token.empty()) json.name("NextToken").text(response.next_token);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
