
#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

std::optional<AttributeUpdates> read_attribute_updates(const Fields& in) {
  const auto members = in.structure_map("AttributeUpdates", "AttributeValueUpdate");
  if (!members) return std::nullopt;
  AttributeUpdates updates;
  for (const auto& [name, fields] : *members) {
    AttributeUpdate& update = updates[name];
    update.action = fields.one_of<UpdateAction>("Action").value_or(UpdateAction::Put);
    update.value = read_value(fields, "Value");
  }
  return updates;
}

}  // namespace

Result<std::string> update_item(const Call& call) {
  Problems problems(ValueLayer::NewerPrefixed);
  const Fields in(call.body, problems);
  UpdateItemRequest request;
  request.return_consumed_capacity = read_capacity_wish(in);
  request.table_name = in.table_name();
  request.return_item_collection_metrics = read_metrics_wish(in);
  request.return_values = read_return_values(in, Reported::Alone);
  request.conditional_operator = read_conditional_operator(in);
  request.key = read_item_or_empty(in, "Key", Presence::Required);
  request.expected = read_expected(in);
  request.attribute_updates = read_attribute_updates(in);
  request.condition_expression = in.expression("ConditionExpression");
  request.update_expression = in.expression("UpdateExpression");
  request.values = read_expression_values(in);
  request.names = read_names(in);
  request.on_condition_failure = read_failure_wish(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(UpdateItemResponse response, call.database.update_item(request));
  put_given_table(in, response.consumed_capacity);
  return write_response(response);
}

}  // namespace tavola::wire
