#include "value/limits.h"
#include "wire/attribute_values.h"
#include "wire/operations.h"
#include "wire/shapes.h"

namespace tavola::wire {
namespace {

KeysToGet read_table(const std::string& name, const Fields& in) {
  KeysToGet table{.table_name = std::string(table_in_arn(name))};
  const auto keys = in.list("Keys", Presence::Required);
  for (const JsonValue key : keys.value_or(std::vector<JsonValue>())) {
    table.keys.push_back(read_item(key, in.problems()));
  }
  if (keys && keys->empty()) {
    in.problems().constraints().add_broken("[]", in.path_of("Keys"),
                                           "have length greater than or equal to 1");
  } else if (keys && keys->size() > limits::kBatchGetKeysMax) {
    in.problems().constraints().add_broken("[...]", in.path_of("Keys"),
                                           "have length less than or equal to 100");
  }
  table.attributes_to_get = read_attributes_to_get(in);
  table.consistent_read = in.boolean("ConsistentRead").value_or(false);
  table.projection_expression = in.expression("ProjectionExpression");
  table.names = read_names(in);
  return table;
}

void write_keys(JsonWriter& json, const KeysToGet& table) {
  json.begin_object();
  json.name("Keys").begin_list();
  for (const PackedItem& key : table.keys) write_item(json, key.view());
  json.end_list();
  if (table.consistent_read) json.name("ConsistentRead").boolean(true);
  if (!table.projection_expression.empty())
    json.name("ProjectionExpression").text(table.projection_expression);
  if (!table.names.empty()) {
    json.name("ExpressionAttributeNames").begin_object();
    for (const auto& [placeholder, name] : table.names) json.name(placeholder).text(name);
    json.end_object();
  }
  if (table.attributes_to_get) {
    json.name("AttributesToGet").begin_list();
    for (const std::string& attribute : *table.attributes_to_get) json.text(attribute);
    json.end_list();
  }
  json.end_object();
}

}  // namespace

Result<std::string> batch_get_item(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  BatchGetItemRequest request;
  request.return_consumed_capacity = read_capacity_wish(in);
  const auto tables = in.structure_map("RequestItems", "KeysAndAttributes");
  if (!in.has("RequestItems")) problems.constraints().add_missing("requestItems");
  check_table_names(in, "RequestItems");
  if (tables) {
    for (const auto& [name, fields] : *tables) request.tables.push_back(read_table(name, fields));
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const BatchGetItemResponse response, call.database.batch_get_item(request));
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.name("Responses").begin_object();
  for (const TableItems& table : response.tables) {
    json.name(table.table_name).begin_list();
    for (const PackedItem& item : table.items) write_item(json, item.view());
    json.end_list();
  }
  json.end_object();
  json.name("UnprocessedKeys").begin_object();
  for (const KeysToGet& table : response.unprocessed_keys) {
    json.name(table.table_name);
    write_keys(json, table);
  }
  json.end_object();
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
