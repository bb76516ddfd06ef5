#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> delete_item(const Call& call) {
  Problems problems(ValueLayer::NewerPrefixed);
  const Fields in(call.body, problems);
  DeleteItemRequest request;
  request.return_consumed_capacity = read_capacity_wish(in);
  request.table_name = in.table_name();
  request.return_values = read_return_values(in, Reported::WithOthers);
  request.return_item_collection_metrics = read_metrics_wish(in);
  request.key = read_item_or_empty(in, "Key", Presence::Required);
  request.conditional_operator = read_conditional_operator(in);
  request.expected = read_expected(in);
  request.condition_expression = in.expression("ConditionExpression");
  request.values = read_expression_values(in);
  request.names = read_names(in);
  request.on_condition_failure = read_failure_wish(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(DeleteItemResponse response, call.database.delete_item(request));
  put_given_table(in, response.consumed_capacity);
  return write_response(response);
}

}  // namespace tavola::wire
