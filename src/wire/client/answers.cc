#include "wire/client/answers.h"

#include "database/stream_names.h"
#include "wire/client/answer_parts.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/fields.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

// "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
std::string_view name_of(std::string_view type) { return type.substr(type.rfind('#') + 1); }

// An exception that is not known here: the request was refused, or the server failed.
ErrorCode code_of(std::string_view name, long status) {
  for (auto code = ErrorCode::Validation; code != ErrorCode::Internal;
       code = static_cast<ErrorCode>(static_cast<int>(code) + 1)) {
    if (exception_name(code) == name) return code;
  }
  if (name == "RequestLimitExceeded") return ErrorCode::Throttling;
  if (name == "ExpiredTokenException") return ErrorCode::UnrecognizedClient;
  return status < 500 ? ErrorCode::Validation : ErrorCode::Internal;
}

std::shared_ptr<const ErrorDetail> read_reasons(const Fields& in) {
  const auto structures = in.structures("CancellationReasons", "CancellationReason");
  if (!structures) return nullptr;
  std::vector<CancellationReason> reasons;
  for (const Fields& fields : *structures) {
    CancellationReason& reason = reasons.emplace_back();
    reason.code = fields.text("Code").value_or("None");
    reason.message = fields.text("Message").value_or(std::string());
    reason.item = read_item(fields, "Item");
  }
  return std::make_shared<TransactionCancellation>(std::move(reasons));
}

void read_settings(const Fields& fields, TableDescription& table) {
  table.billing_mode = BillingMode::Provisioned;
  if (const auto billing = fields.structure("BillingModeSummary", "BillingModeSummary")) {
    table.billing_mode = one_of_or(*billing, "BillingMode", BillingMode::Provisioned);
    table.on_demand_since = time_in(*billing, "LastUpdateToPayPerRequestDateTime");
  }
  table.throughput = read_provisioned(fields);
  table.on_demand_limits = read_on_demand(fields);
  table.warm_throughput = read_warmth(fields);
  table.deletion_protection = fields.boolean("DeletionProtectionEnabled").value_or(false);
  if (const auto summary = fields.structure("TableClassSummary", "TableClassSummary")) {
    table.table_class = one_of_or(*summary, "TableClass", TableClass::Standard);
  }
  const auto stream = fields.structure("StreamSpecification", "StreamSpecification");
  if (stream && stream->boolean("StreamEnabled").value_or(false)) {
    table.stream = stream->one_of<StreamView>("StreamViewType");
  }
  if (const auto latest = parse_stream_name(part_of_arn(fields, "LatestStreamArn")))
    table.stream_since = latest->since;
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

// AWS counts the items of an index, too.
void read_statistics(const Fields& table, std::string_view member, TableDescription& description) {
  for (const Fields& index : table.structures(member, member).value_or(std::vector<Fields>())) {
    description.index_statistics[text_in(index, "IndexName")] = {
        .item_count = index.integer("ItemCount", kLong).value_or(0),
        .size_bytes = index.integer("IndexSizeBytes", kLong).value_or(0)};
  }
}

// The source of a table that is being restored.
std::optional<RestoredFrom> read_restore(const Fields& table) {
  const auto summary = table.structure("RestoreSummary", "RestoreSummary");
  if (!summary || !summary->boolean("RestoreInProgress").value_or(false)) return std::nullopt;
  return RestoredFrom{.backup = part_of_arn(*summary, "SourceBackupArn"),
                      .table_name = part_of_arn(*summary, "SourceTableArn"),
                      .moment = time_in(*summary, "RestoreDateTime").value_or(WallTime())};
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
  if (auto item = read_item(in, "Item")) detail = std::make_shared<ConditionFailure>(*std::move(item));
  return {code_of(name_of(*type), status), std::move(message), std::move(detail)};
}

Result<GetItemResponse> read_get_item(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  GetItemResponse response{.item = read_item(in, "Item"), .consumed_capacity = read_capacity(in)};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<Page> read_page(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  Page page;
  for (const JsonValue& item : in.list("Items").value_or(std::vector<JsonValue>())) {
    page.items.push_back(read_item(item, problems));
  }
  page.count = in.integer("Count", kInteger).value_or(0);
  page.scanned_count = in.integer("ScannedCount", kInteger).value_or(0);
  page.last_evaluated_key = read_item(in, "LastEvaluatedKey");
  page.consumed_capacity = read_capacity(in);
  TAVOLA_CHECK(problems.check());
  return page;
}

Result<WriteItemResponse> read_write(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  WriteItemResponse response;
  response.attributes = read_item(in, "Attributes");
  response.consumed_capacity = read_capacity(in);
  response.item_collection_metrics = read_metrics(in);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<TransactGetItemsResponse> read_transact_get(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TransactGetItemsResponse response;
  for (const Fields& fields : in.structures("Responses", "ItemResponse").value_or(std::vector<Fields>())) {
    response.items.push_back(read_item(fields, "Item"));
  }
  response.consumed_capacity = read_capacities(in);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<TransactWriteItemsResponse> read_transact_write(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TransactWriteItemsResponse response{.item_collection_metrics = read_table_metrics(in),
                                      .consumed_capacity = read_capacities(in)};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<TableDescription> read_table(JsonValue body, std::string_view member) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required_structure(in, member));
  TableDescription table;
  table.table_name = fields.text("TableName").value_or(std::string());
  table.table_id = fields.text("TableId").value_or(std::string());
  table.status = one_of_or(fields, "TableStatus", TableStatus::Active);
  table.created_at = time_in(fields, "CreationDateTime").value_or(WallTime());
  table.attribute_definitions = read_definitions(fields, Presence::Required);
  table.key_schema = read_key_schema(fields);
  table.global_indexes = read_described_indexes<GlobalIndex>(fields, "GlobalSecondaryIndexes");
  table.local_indexes = read_described_indexes<LocalIndex>(fields, "LocalSecondaryIndexes");
  table.index_build = read_index_build(fields);
  read_statistics(fields, "GlobalSecondaryIndexes", table);
  read_statistics(fields, "LocalSecondaryIndexes", table);
  read_settings(fields, table);
  table.restored_from = read_restore(fields);
  table.item_count = fields.integer("ItemCount", kLong).value_or(0);
  table.size_bytes = fields.integer("TableSizeBytes", kLong).value_or(0);
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
  TAVOLA_TRY(const Fields fields, required_structure(in, "TimeToLiveDescription"));
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
