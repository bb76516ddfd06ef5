#include "wire/codec/shapes.h"

#include <algorithm>

#include "database/names.h"
#include "wire/codec/attribute_values.h"

namespace tavola::wire {
namespace {

void write_units(json::Writer& json, std::string_view name,
                 const std::map<std::string, double, std::less<>>& by_index) {
  if (by_index.empty()) return;
  json.name(name).begin_object();
  for (const auto& [index, units] : by_index) {
    json.name(index).begin_object();
    json.name("CapacityUnits").decimal(units);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

AttributeNames read_names(const Fields& in) {
  AttributeNames names;
  const auto members = in.map("ExpressionAttributeNames", "java.lang.String");
  if (!members) return names;
  for (const auto& [placeholder, value] : members->members()) {
    if (auto name = text_of(value, in.problems()))
      names.insert_or_assign(std::string(placeholder), *std::move(name));
  }
  if (members->size() == 0) {
    constexpr std::string_view kExpressions[] = {"ConditionExpression", "FilterExpression",
                                                 "KeyConditionExpression", "ProjectionExpression",
                                                 "UpdateExpression"};
    const bool any = std::ranges::any_of(kExpressions, [&in](std::string_view name) { return in.has(name); });
    in.problems().bad_value(
        Error::validation(any ? "ExpressionAttributeNames must not be empty"
                              : "ExpressionAttributeNames can only be specified when using expressions"));
  }
  return names;
}

ReturnConsumedCapacity read_capacity_wish(const Fields& in) {
  return in.one_of<ReturnConsumedCapacity>("ReturnConsumedCapacity").value_or(ReturnConsumedCapacity::None);
}

ReturnItemCollectionMetrics read_metrics_wish(const Fields& in) {
  return in.one_of<ReturnItemCollectionMetrics>("ReturnItemCollectionMetrics")
      .value_or(ReturnItemCollectionMetrics::None);
}

ReturnValuesOnConditionCheckFailure read_failure_wish(const Fields& in) {
  return in.one_of<ReturnValuesOnConditionCheckFailure>("ReturnValuesOnConditionCheckFailure")
      .value_or(ReturnValuesOnConditionCheckFailure::None);
}

ReturnValues read_return_values(const Fields& in, Reported reported) {
  const std::optional<std::string> given = in.text("ReturnValues");
  if (!given) return ReturnValues::None;
  const std::optional<ReturnValues> value = find_enum<ReturnValues>(*given);
  if (!value) in.problems().bad_return_values(*given, reported);
  return value.value_or(ReturnValues::None);
}

std::optional<std::vector<std::string>> read_attributes_to_get(const Fields& in) {
  auto attributes = in.texts("AttributesToGet");
  if (attributes && attributes->empty()) {
    in.problems().constraints().add_broken("[]", in.path_of("AttributesToGet"),
                                           "have length greater than or equal to 1");
  }
  return attributes;
}

std::optional<ConditionalOperator> read_conditional_operator(const Fields& in) {
  return in.one_of<ConditionalOperator>("ConditionalOperator");
}

std::optional<ExpectedAttributes> read_expected(const Fields& in) {
  const auto members = in.structure_map("Expected", "ExpectedAttributeValue");
  if (!members) return std::nullopt;
  ExpectedAttributes expected;
  for (const auto& [name, fields] : *members) {
    ExpectedAttribute& attribute = expected[name];
    attribute.exists = fields.boolean("Exists");
    attribute.value = read_value(fields, "Value");
    attribute.op = fields.one_of<ComparisonOperator>("ComparisonOperator");
    attribute.operands = read_values(fields, "AttributeValueList");
  }
  return expected;
}

std::optional<LegacyConditions> read_conditions(const Fields& in, std::string_view name) {
  const auto members = in.structure_map(name, "Condition");
  if (!members) return std::nullopt;
  LegacyConditions conditions;
  for (const auto& [attribute, fields] : *members) {
    LegacyCondition& condition = conditions[attribute];
    condition.operands = read_values(fields, "AttributeValueList").value_or(std::vector<Value>());
    condition.op = fields.one_of<ComparisonOperator>("ComparisonOperator", Presence::Required)
                       .value_or(ComparisonOperator::Eq);
  }
  return conditions;
}

Result<void> refuse(const Fields& in, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (in.has(name)) {
      return fail(Error::validation("One or more parameter values were invalid: " + std::string(name) +
                                    " is not supported by Tavola; leave it out"));
    }
  }
  return {};
}

std::string GivenTables::add(std::string_view name_or_arn) {
  const std::string table(table_in_arn(name_or_arn));
  if (table != name_or_arn) arns_.emplace(table, name_or_arn);
  return table;
}

void put_given_table(const Fields& in, std::optional<ConsumedCapacity>& capacity) {
  if (capacity) capacity->table_name = in.text("TableName").value_or(capacity->table_name);
}

void write_capacity(json::Writer& json, const ConsumedCapacity& capacity) {
  json.begin_object();
  json.name("TableName").text(capacity.table_name);
  json.name("CapacityUnits").decimal(capacity.units);
  if (capacity.read_units) json.name("ReadCapacityUnits").decimal(*capacity.read_units);
  if (capacity.write_units) json.name("WriteCapacityUnits").decimal(*capacity.write_units);
  if (capacity.table_units) {
    json.name("Table").begin_object();
    json.name("CapacityUnits").decimal(*capacity.table_units);
    if (capacity.read_units) json.name("ReadCapacityUnits").decimal(*capacity.table_units);
    if (capacity.write_units) json.name("WriteCapacityUnits").decimal(*capacity.table_units);
    json.end_object();
  }
  write_units(json, "LocalSecondaryIndexes", capacity.local_index_units);
  write_units(json, "GlobalSecondaryIndexes", capacity.global_index_units);
  json.end_object();
}

void write_capacity_member(json::Writer& json, const std::optional<ConsumedCapacity>& capacity) {
  if (!capacity) return;
  json.name("ConsumedCapacity");
  write_capacity(json, *capacity);
}

void write_items_member(json::Writer& json, const std::vector<std::optional<PackedItem>>& items) {
  json.name("Responses").begin_list();
  for (const std::optional<PackedItem>& item : items) {
    json.begin_object();
    if (item) {
      json.name("Item");
      write_item(json, item->view());
    }
    json.end_object();
  }
  json.end_list();
}

void write_capacity_member(json::Writer& json, const std::vector<ConsumedCapacity>& capacities,
                           ReturnConsumedCapacity asked) {
  if (asked == ReturnConsumedCapacity::None) return;
  json.name("ConsumedCapacity").begin_list();
  for (const ConsumedCapacity& capacity : capacities) write_capacity(json, capacity);
  json.end_list();
}

void write_metrics(json::Writer& json, const ItemCollectionMetrics& metrics) {
  json.begin_object();
  json.name("ItemCollectionKey");
  write_item(json, metrics.item_collection_key.view());
  json.name("SizeEstimateRangeGB").begin_list();
  for (const double bound : metrics.size_estimate_range_gb) json.decimal(bound);
  json.end_list();
  json.end_object();
}

void write_metrics_member(json::Writer& json, const std::vector<TableMetrics>& tables) {
  if (tables.empty()) return;
  json.name("ItemCollectionMetrics").begin_object();
  for (const TableMetrics& table : tables) {
    json.name(table.table_name).begin_list();
    for (const ItemCollectionMetrics& metrics : table.metrics) write_metrics(json, metrics);
    json.end_list();
  }
  json.end_object();
}

std::string write_response(const WriteItemResponse& response) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (response.attributes) {
    json.name("Attributes");
    write_item(json, response.attributes->view());
  }
  write_capacity_member(json, response.consumed_capacity);
  if (response.item_collection_metrics) {
    json.name("ItemCollectionMetrics");
    write_metrics(json, *response.item_collection_metrics);
  }
  json.end_object();
  return out;
}

std::string write_response(const Page& page, std::optional<Select> select) {
  std::string out;
  std::size_t bytes = 256;
  for (const PackedItem& item : page.items) bytes += item.bytes().size() * 3 / 2;
  out.reserve(bytes);
  json::Writer json(out);
  json.begin_object();
  json.name("Count").integer(page.count);
  if (select != Select::Count) {
    json.name("Items").begin_list();
    for (const PackedItem& item : page.items) write_item(json, item.view());
    json.end_list();
  }
  json.name("ScannedCount").integer(page.scanned_count);
  if (page.last_evaluated_key) {
    json.name("LastEvaluatedKey");
    write_item(json, page.last_evaluated_key->view());
  }
  write_capacity_member(json, page.consumed_capacity);
  json.end_object();
  return out;
}

void check_table_names(const Fields& in, std::string (*show)(JsonValue tables)) {
  const auto tables = in.find("RequestItems");
  if (!tables || tables->type() != JsonType::Object) return;
  const auto is_table = [](const auto& member) { return is_name(table_in_arn(member.first)); };
  if (std::ranges::all_of(tables->members(), is_table)) return;
  in.problems().constraints().add_broken_map(
      show(*tables), "requestItems",
      "keys must satisfy constraint: [Member must have length less than or equal to 255, Member "
      "must have length greater than or equal to 3, Member must satisfy regular expression "
      "pattern: [a-zA-Z0-9_.-]+]");
}

std::string table_arn(const ServerIdentity& server, std::string_view table) {
  return "arn:aws:dynamodb:" + server.region + ":" + server.account + ":table/" + std::string(table);
}

}  // namespace tavola::wire
