#include <ranges>

#include "value/limits.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/batch_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

void read_write(const Fields& in, TableWrites& table) {
  const auto put = in.structure("PutRequest", "PutRequest");
  const auto remove = in.structure("DeleteRequest", "DeleteRequest");
  if (put) {
    table.writes.push_back({BatchWrite::Kind::Put, read_item_or_empty(*put, "Item", Presence::Required)});
  }
  if (remove) {
    table.writes.push_back(
        {BatchWrite::Kind::Delete, read_item_or_empty(*remove, "Key", Presence::Required)});
  }
  if (put.has_value() == remove.has_value()) {
    in.problems().bad_value(Error::validation(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
        "datatypes"));
  }
}

// "{table=[...]}": AWS prints every write in Java's notation; this is shorter.
std::string show_tables(JsonValue tables) {
  std::string shown;
  for (const auto& [name, list] : tables.members()) {
    const bool empty = list.type() == JsonType::List && list.size() == 0;
    shown += (shown.empty() ? "" : ", ") + std::string(name) + (empty ? "=[]" : "=[...]");
  }
  return "{" + shown + "}";
}

// Reads the writes of each table, whose number is a constraint on the whole map in AWS's model.
void read_tables(const Fields& in, BatchWriteItemRequest& request, GivenTables& given) {
  Problems& problems = in.problems();
  const auto tables = in.map("RequestItems", "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>",
                             Presence::Required);
  if (!tables) return;
  bool counts_fit = true;
  // One more than allowed, of tables or of writes, is enough to refuse them.
  constexpr auto kRead = std::views::take(limits::kBatchWritesMax + 1);
  const auto members = tables->distinct_members();
  for (const auto& [name, list] : members | kRead) {
    TableWrites& table = request.tables.emplace_back();
    table.table_name = given.add(name);
    const std::string path = "requestItems." + std::string(name) + ".member";
    const auto writes = list_of(list, path, problems);
    if (!writes) continue;
    counts_fit = counts_fit && !writes->empty() && writes->size() <= limits::kBatchWritesMax;
    std::size_t number = 0;
    for (const JsonValue write : *writes | kRead) {
      ++number;
      if (!is_structure(write, "WriteRequest", problems)) continue;
      read_write(Fields(write, problems, path + "." + std::to_string(number) + ".member"), table);
    }
  }
  // An invalid name is reported after everything else (paritysuite/dynamodb-conformance, validation-ordering).
  if (problems.constraints().empty()) check_table_names(in, show_tables);
  if (!counts_fit) {
    problems.constraints().add_broken_map(
        show_tables(*tables), "requestItems",
        "value must satisfy constraint: [Member must have length less than or equal to 25, Member must "
        "have length greater than or equal to 1]");
  }
}

}  // namespace

Result<std::string> batch_write_item(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  BatchWriteItemRequest request;
  request.return_consumed_capacity = read_capacity_wish(in);
  request.return_item_collection_metrics = read_metrics_wish(in);
  GivenTables given;
  read_tables(in, request, given);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(BatchWriteItemResponse response, call.database.batch_write_item(request));
  given.put_into(response.unprocessed_items);
  given.put_into(response.item_collection_metrics);
  given.put_into(response.consumed_capacity);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("UnprocessedItems");
  write_table_writes(json, response.unprocessed_items);
  write_metrics_member(json, response.item_collection_metrics);
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
