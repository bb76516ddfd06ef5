#include "wire/client/batch_answers.h"

#include <algorithm>

#include "database/enum_names.h"
#include "json/writer.h"
#include "wire/client/answer_parts.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/batch_shapes.h"
#include "wire/codec/fields.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

void write_capacity_wish(json::Writer& json, ReturnConsumedCapacity asked) {
  if (asked != ReturnConsumedCapacity::None) json.name("ReturnConsumedCapacity").text(enum_name(asked));
}

std::vector<JsonValue> elements_of(JsonValue value) {
  return value.type() == JsonType::List ? value.elements() : std::vector<JsonValue>();
}

// Returns the members of a map inside the body; empty if missing.
std::vector<std::pair<std::string_view, JsonValue>> members_of(JsonValue body, std::string_view name) {
  const auto member = body.find(name);
  if (!member || member->type() != JsonType::Object) return {};
  return member->members();
}

BatchWrite read_write_request(JsonValue value, Problems& problems) {
  if (!is_structure(value, "WriteRequest", problems)) return {};
  const Fields in(value, problems);
  if (const auto remove = in.structure("DeleteRequest", "DeleteRequest")) {
    return {BatchWrite::Kind::Delete, read_item_or_empty(*remove, "Key")};
  }
  const auto put = in.structure("PutRequest", "PutRequest", Presence::Required);
  return {BatchWrite::Kind::Put, put ? read_item_or_empty(*put, "Item") : PackedItem()};
}

}  // namespace

std::string batch_get_body(const BatchGetItemRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("RequestItems").begin_object();
  for (const KeysToGet& table : request.tables) {
    json.name(table.table_name);
    write_keys_to_get(json, table);
  }
  json.end_object();
  write_capacity_wish(json, request.return_consumed_capacity);
  json.end_object();
  return out;
}

std::string batch_write_body(const BatchWriteItemRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("RequestItems");
  write_table_writes(json, request.tables);
  write_capacity_wish(json, request.return_consumed_capacity);
  if (request.return_item_collection_metrics != ReturnItemCollectionMetrics::None)
    json.name("ReturnItemCollectionMetrics").text(enum_name(request.return_item_collection_metrics));
  json.end_object();
  return out;
}

Result<BatchGetItemResponse> read_batch_get(JsonValue body, const BatchGetItemRequest& request) {
  Problems problems;
  BatchGetItemResponse response;
  for (const KeysToGet& table : request.tables) response.tables.push_back({table.table_name, {}});
  for (const auto& [name, list] : members_of(body, "Responses")) {
    const auto table = std::ranges::find(response.tables, name, &TableItems::table_name);
    if (table == response.tables.end()) continue;
    for (const JsonValue item : elements_of(list)) table->items.push_back(read_item(item, problems));
  }
  for (const auto& [name, value] : members_of(body, "UnprocessedKeys")) {
    const auto asked = std::ranges::find(request.tables, name, &KeysToGet::table_name);
    const auto keys = value.type() == JsonType::Object ? value.find("Keys") : std::nullopt;
    if (asked == request.tables.end() || !keys) continue;
    KeysToGet& left = response.unprocessed_keys.emplace_back(*asked);
    left.keys.clear();
    for (const JsonValue key : elements_of(*keys)) left.keys.push_back(read_item(key, problems));
  }
  response.consumed_capacity = read_capacities(Fields(body, problems));
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<BatchWriteItemResponse> read_batch_write(JsonValue body) {
  Problems problems;
  BatchWriteItemResponse response;
  for (const auto& [name, list] : members_of(body, "UnprocessedItems")) {
    TableWrites& table = response.unprocessed_items.emplace_back();
    table.table_name = name;
    for (const JsonValue write : elements_of(list))
      table.writes.push_back(read_write_request(write, problems));
  }
  const Fields in(body, problems);
  response.item_collection_metrics = read_table_metrics(in);
  response.consumed_capacity = read_capacities(in);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<std::string> read_table_arn(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  const auto table = in.structure("Table", "TableDescription", Presence::Required);
  auto arn = table ? table->text("TableArn", Presence::Required) : std::nullopt;
  TAVOLA_CHECK(problems.check());
  if (!arn) return fail(Error::internal("the endpoint does not respond like DynamoDB"));
  return *std::move(arn);
}

Result<TagsPage> read_tags_page(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TagsPage page{.tags = read_tags(in), .next_token = in.text("NextToken").value_or(std::string())};
  TAVOLA_CHECK(problems.check());
  return page;
}

}  // namespace tavola::wire
