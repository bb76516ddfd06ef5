#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> get_item(const Call& call) {
  Problems problems(ValueLayer::Newer);
  const Fields in(call.body, problems);
  GetItemRequest request;
  request.return_consumed_capacity = read_capacity_wish(in);
  request.attributes_to_get = read_attributes_to_get(in);
  request.table_name = in.table_name();
  request.key = read_item_or_empty(in, "Key", Presence::Required);
  request.consistent_read = in.boolean("ConsistentRead").value_or(false);
  request.projection_expression = in.expression("ProjectionExpression");
  request.names = read_names(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(GetItemResponse response, call.database.get_item(request));
  put_given_table(in, response.consumed_capacity);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (response.item) {
    out.reserve(response.item->bytes().size() * 3 / 2 + 64);
    json.name("Item");
    write_item(json, response.item->view());
  }
  write_capacity_member(json, response.consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
