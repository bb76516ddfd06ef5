#include <ranges>

#include "value/limits.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/batch_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

KeysToGet read_table(const Fields& in, std::string table_name) {
  KeysToGet table{.table_name = std::move(table_name)};
  const auto keys = in.list("Keys", Presence::Required).value_or(std::vector<JsonValue>());
  // One more than allowed is enough for the database to refuse them.
  for (const JsonValue key : keys | std::views::take(limits::kBatchGetKeysMax + 1)) {
    table.keys.push_back(read_item(key, in.problems()));
  }
  table.attributes_to_get = read_attributes_to_get(in);
  table.consistent_read = in.boolean("ConsistentRead").value_or(false);
  table.projection_expression = in.expression("ProjectionExpression");
  table.names = read_names(in);
  return table;
}

// Returns the positions in the request of the tables with unprocessed keys: both have the same order. A table may occur
// twice, by its name and by its ARN; the unprocessed keys belong to the last ones.
std::vector<std::size_t> places_of(const std::vector<KeysToGet>& left, const std::vector<KeysToGet>& asked) {
  std::vector<std::size_t> places(left.size());
  std::size_t at = asked.size();
  for (std::size_t i = left.size(); i-- > 0;) {
    while (at > 0 && asked[--at].table_name != left[i].table_name) {
    }
    places[i] = at;
  }
  return places;
}

}  // namespace

Result<std::string> batch_get_item(const Call& call) {
  Problems problems(ValueLayer::Newer);
  const Fields in(call.body, problems);
  BatchGetItemRequest request;
  GivenTables given;
  std::vector<std::string> given_names;  // of request.tables
  check_table_names(in, [](JsonValue shown) { return shown.to_text(); });
  request.return_consumed_capacity = read_capacity_wish(in);
  const auto tables = in.structure_map("RequestItems", "KeysAndAttributes");
  if (!in.has("RequestItems")) problems.constraints().add_missing("requestItems");
  if (tables) {
    for (const auto& [name, fields] : *tables | std::views::take(limits::kBatchGetKeysMax + 1)) {
      request.tables.push_back(read_table(fields, given.add(name)));
      given_names.push_back(name);
    }
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(BatchGetItemResponse response, call.database.batch_get_item(request));
  given.put_into(response.consumed_capacity);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("Responses").begin_object();
  // Tables are answered in the order of the request; once the response is full, the others are left unprocessed.
  for (std::size_t i = 0; i < response.tables.size(); ++i) {
    json.name(given_names[i]).begin_list();
    for (const PackedItem& item : response.tables[i].items) write_item(json, item.view());
    json.end_list();
  }
  json.end_object();
  json.name("UnprocessedKeys").begin_object();
  const std::vector<std::size_t> left = places_of(response.unprocessed_keys, request.tables);
  for (std::size_t i = 0; i < left.size(); ++i) {
    json.name(given_names[left[i]]);
    write_keys_to_get(json, response.unprocessed_keys[i]);
  }
  json.end_object();
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
