#include "value/limits.h"
#include "wire/attribute_values.h"
#include "wire/operations.h"
#include "wire/shapes.h"

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

// The writes of each table, whose number is a constraint on the whole map in AWS's model.
void read_tables(const Fields& in, BatchWriteItemRequest& request) {
  Problems& problems = in.problems();
  const auto tables = in.map("RequestItems", "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>",
                             Presence::Required);
  if (!tables) return;
  bool counts_fit = true;
  for (const auto& [name, list] : *tables) {
    TableWrites& table = request.tables.emplace_back();
    table.table_name = table_in_arn(name);
    if (list.type() != JsonType::List) {
      problems.wrong_type(list.type() == JsonType::Object
                              ? "Start of structure or map found where not expected"
                              : "Unexpected field type");
      continue;
    }
    const auto writes = list.elements();
    counts_fit = counts_fit && !writes.empty() && writes.size() <= limits::kBatchWritesMax;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (!is_structure(writes[i], "WriteRequest", problems)) continue;
      const std::string path =
          "requestItems." + std::string(name) + ".member." + std::to_string(i + 1) + ".member";
      read_write(Fields(writes[i], problems, path), table);
    }
  }
  check_table_names(in, "RequestItems");
  if (!counts_fit) {
    std::string counts;
    for (const auto& [name, list] : *tables) {
      const bool empty = list.type() == JsonType::List && list.size() == 0;
      counts += (counts.empty() ? "" : ", ") + std::string(name) + (empty ? "=[]" : "=[...]");
    }
    // AWS prints every write in Java's notation; this tells as much with less.
    problems.constraints().add_broken_map(
        "{" + counts + "}", "requestItems",
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
  read_tables(in, request);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const BatchWriteItemResponse response, call.database.batch_write_item(request));
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.name("UnprocessedItems").begin_object();
  json.end_object();
  write_metrics_member(json, response.item_collection_metrics);
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
