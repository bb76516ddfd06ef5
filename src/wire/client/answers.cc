#include "wire/client/answers.h"

#include <charconv>

#include "base/assert.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/fields.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

// AWS and Tavola write capacity units as numbers, mostly with a fraction: 0.5.
std::optional<double> read_decimal(JsonValue object, std::string_view name) {
  const auto member = object.find(name);
  if (!member || (member->type() != JsonType::Decimal && member->type() != JsonType::Integer))
    return std::nullopt;
  const std::string text = member->to_text();
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

ConsumedCapacity read_capacity(JsonValue object) {
  ConsumedCapacity capacity;
  capacity.units = read_decimal(object, "CapacityUnits").value_or(0);
  capacity.read_units = read_decimal(object, "ReadCapacityUnits");
  capacity.write_units = read_decimal(object, "WriteCapacityUnits");
  return capacity;
}

std::optional<ConsumedCapacity> read_capacity_member(JsonValue body) {
  const auto member = body.find("ConsumedCapacity");
  if (!member || member->type() != JsonType::Object) return std::nullopt;
  return read_capacity(*member);
}

std::vector<ConsumedCapacity> read_capacities(JsonValue body) {
  std::vector<ConsumedCapacity> capacities;
  const auto member = body.find("ConsumedCapacity");
  if (!member || member->type() != JsonType::List) return capacities;
  for (const JsonValue& element : member->elements()) capacities.push_back(read_capacity(element));
  return capacities;
}

// "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
std::string_view name_of(std::string_view type) { return type.substr(type.rfind('#') + 1); }

ErrorCode code_of(std::string_view name) {
  for (auto code = ErrorCode::Validation; code != ErrorCode::Internal;
       code = static_cast<ErrorCode>(static_cast<int>(code) + 1)) {
    if (exception_name(code) == name) return code;
  }
  return name == "RequestLimitExceeded" ? ErrorCode::Throttling : ErrorCode::Internal;
}

std::shared_ptr<const ErrorDetail> read_reasons(const Fields& in) {
  const auto structures = in.structures("CancellationReasons", "CancellationReason");
  if (!structures) return nullptr;
  std::vector<CancellationReason> reasons;
  for (const Fields& fields : *structures) {
    CancellationReason& reason = reasons.emplace_back();
    reason.code = fields.text("Code").value_or("None");
    reason.message = fields.text("Message").value_or(std::string());
    reason.item = wire::read_item(fields, "Item");
  }
  return std::make_shared<TransactionCancellation>(std::move(reasons));
}

// AWS reports 0 units for a table on demand, which means nothing.
std::optional<Throughput> read_provisioned(const Fields& in) {
  const auto fields = in.structure("ProvisionedThroughput", "ProvisionedThroughput");
  if (!fields) return std::nullopt;
  const Throughput throughput{fields->integer("ReadCapacityUnits", wire::kLong).value_or(0),
                              fields->integer("WriteCapacityUnits", wire::kLong).value_or(0)};
  return throughput == Throughput{} ? std::nullopt : std::optional(throughput);
}

// -1 means no limit.
std::optional<OnDemandLimits> read_on_demand(const Fields& in) {
  const auto fields = in.structure("OnDemandThroughput", "OnDemandThroughput");
  if (!fields) return std::nullopt;
  const auto limit = [&fields](std::string_view name) {
    const auto units = fields->integer(name, wire::kLong);
    return units && *units > 0 ? units : std::nullopt;
  };
  const OnDemandLimits limits{limit("MaxReadRequestUnits"), limit("MaxWriteRequestUnits")};
  return limits == OnDemandLimits{} ? std::nullopt : std::optional(limits);
}

void read_settings(const Fields& fields, TableDescription& table) {
  const auto billing = fields.structure("BillingModeSummary", "BillingModeSummary");
  table.billing_mode = billing
                           ? billing->one_of<BillingMode>("BillingMode").value_or(BillingMode::Provisioned)
                           : BillingMode::Provisioned;
  table.throughput = read_provisioned(fields);
  table.on_demand_limits = read_on_demand(fields);
  table.deletion_protection = fields.boolean("DeletionProtectionEnabled").value_or(false);
  if (const auto summary = fields.structure("TableClassSummary", "TableClassSummary")) {
    table.table_class = summary->one_of<TableClass>("TableClass").value_or(TableClass::Standard);
  }
  const auto stream = fields.structure("StreamSpecification", "StreamSpecification");
  if (stream && stream->boolean("StreamEnabled").value_or(false)) {
    table.stream = stream->one_of<StreamView>("StreamViewType");
  }
}

// Returns the index that cannot be read yet, if the table has one.
std::optional<IndexBuild> read_index_build(const Fields& table) {
  const auto indexes = table.structures("GlobalSecondaryIndexes", "GlobalSecondaryIndexDescription");
  for (const Fields& fields : indexes.value_or(std::vector<Fields>())) {
    if (fields.text("IndexStatus") == "CREATING")
      return IndexBuild{.index = fields.text("IndexName").value_or(std::string())};
  }
  return std::nullopt;
}

template <class Index>
std::vector<Index> read_indexes(const Fields& table, std::string_view member) {
  std::vector<Index> indexes;
  for (const Fields& fields : table.structures(member, member).value_or(std::vector<Fields>())) {
    Index& index = indexes.emplace_back();
    index.name = fields.text("IndexName").value_or(std::string());
    index.key_schema = wire::read_key_schema(fields);
    index.projection = wire::read_projection(fields);
    if constexpr (std::is_same_v<Index, GlobalIndex>) {
      index.throughput = read_provisioned(fields);
      index.on_demand_limits = read_on_demand(fields);
    }
  }
  return indexes;
}

// Returns a structure that every response must have.
Result<Fields> required(const Fields& in, std::string_view member, std::string_view type) {
  std::optional<Fields> fields = in.structure(member, type, Presence::Required);
  TAVOLA_CHECK(in.problems().check());
  TAVOLA_ASSERT(fields.has_value());
  return *std::move(fields);
}

}  // namespace

Error read_error(long status, std::string_view body) {
  const auto unreadable = [&] {
    return Error(ErrorCode::Internal,
                 "the endpoint answered " + std::to_string(status) + ": " + std::string(body.substr(0, 200)));
  };
  const Result<JsonDocument> document = JsonDocument::parse(body);
  if (!document || document->root().type() != JsonType::Object) return unreadable();
  Problems problems;
  const Fields in(document->root(), problems);
  const auto type = in.text("__type");
  if (!type) return unreadable();
  std::string message = in.text("message").value_or(in.text("Message").value_or(std::string()));
  if (message.empty()) message = "the endpoint answered " + std::string(name_of(*type));
  std::shared_ptr<const ErrorDetail> detail = read_reasons(in);
  if (auto item = wire::read_item(in, "Item")) detail = std::make_shared<ConditionFailure>(*std::move(item));
  return {code_of(name_of(*type)), std::move(message), std::move(detail)};
}

Result<GetItemResponse> read_get_item(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  GetItemResponse response{.item = wire::read_item(in, "Item"),
                           .consumed_capacity = read_capacity_member(body)};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<Page> read_page(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  Page page;
  for (const JsonValue& item : in.list("Items").value_or(std::vector<JsonValue>())) {
    page.items.push_back(wire::read_item(item, problems));
  }
  page.count = in.integer("Count", wire::kInteger).value_or(0);
  page.scanned_count = in.integer("ScannedCount", wire::kInteger).value_or(0);
  page.last_evaluated_key = wire::read_item(in, "LastEvaluatedKey");
  page.consumed_capacity = read_capacity_member(body);
  TAVOLA_CHECK(problems.check());
  return page;
}

Result<WriteItemResponse> read_write(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  WriteItemResponse response;
  response.attributes = wire::read_item(in, "Attributes");
  response.consumed_capacity = read_capacity_member(body);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<TransactGetItemsResponse> read_transact_get(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TransactGetItemsResponse response;
  for (const Fields& fields : in.structures("Responses", "ItemResponse").value_or(std::vector<Fields>())) {
    response.items.push_back(wire::read_item(fields, "Item"));
  }
  response.consumed_capacity = read_capacities(body);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<TransactWriteItemsResponse> read_transact_write(JsonValue body) {
  TransactWriteItemsResponse response;
  response.consumed_capacity = read_capacities(body);
  return response;
}

Result<TableDescription> read_table(JsonValue body, std::string_view member) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required(in, member, "TableDescription"));
  TableDescription table;
  table.table_name = fields.text("TableName").value_or(std::string());
  table.table_id = fields.text("TableId").value_or(std::string());
  table.status = fields.one_of<TableStatus>("TableStatus").value_or(TableStatus::Active);
  table.attribute_definitions = wire::read_definitions(fields, Presence::Required);
  table.key_schema = wire::read_key_schema(fields);
  table.global_indexes = read_indexes<GlobalIndex>(fields, "GlobalSecondaryIndexes");
  table.local_indexes = read_indexes<LocalIndex>(fields, "LocalSecondaryIndexes");
  table.index_build = read_index_build(fields);
  read_settings(fields, table);
  table.item_count = fields.integer("ItemCount", wire::kLong).value_or(0);
  table.size_bytes = fields.integer("TableSizeBytes", wire::kLong).value_or(0);
  TAVOLA_CHECK(problems.check());
  return table;
}

Result<ListTablesResponse> read_list_tables(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  ListTablesResponse response;
  response.table_names = in.texts("TableNames").value_or(std::vector<std::string>());
  response.last_evaluated_table_name = in.text("LastEvaluatedTableName").value_or(std::string());
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<DescribeTimeToLiveResponse> read_time_to_live(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required(in, "TimeToLiveDescription", "TimeToLiveDescription"));
  // AWS takes an hour to switch it on or off (ENABLING, DISABLING); the requested state counts.
  const std::string status = fields.text("TimeToLiveStatus").value_or(std::string());
  DescribeTimeToLiveResponse response;
  if (status.starts_with("ENABL")) {
    response.time_to_live = {TimeToLiveStatus::Enabled, fields.text("AttributeName").value_or(std::string())};
  }
  TAVOLA_CHECK(problems.check());
  return response;
}

}  // namespace tavola::wire
