#include "wire/codec/table_shapes.h"

#include <algorithm>

#include "database/stream_names.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

void write_definitions(json::Writer& json, const std::vector<AttributeDefinition>& definitions) {
  json.name("AttributeDefinitions").begin_list();
  for (const AttributeDefinition& definition : definitions) {
    json.begin_object();
    json.name("AttributeName").text(definition.name);
    json.name("AttributeType").text(enum_name(definition.type));
    json.end_object();
  }
  json.end_list();
}

void write_key_schema(json::Writer& json, const std::vector<KeySchemaElement>& elements) {
  json.name("KeySchema").begin_list();
  for (const KeySchemaElement& element : elements) {
    json.begin_object();
    json.name("AttributeName").text(element.name);
    json.name("KeyType").text(enum_name(element.type));
    json.end_object();
  }
  json.end_list();
}

void write_projection(json::Writer& json, const IndexProjection& projection) {
  json.name("Projection").begin_object();
  json.name("ProjectionType").text(enum_name(projection.type));
  if (!projection.attributes.empty()) {
    json.name("NonKeyAttributes").begin_list();
    for (const std::string& attribute : projection.attributes) json.text(attribute);
    json.end_list();
  }
  json.end_object();
}

namespace {

void write_throughput(json::Writer& json, const std::optional<Throughput>& throughput) {
  json.name("ProvisionedThroughput").begin_object();
  json.name("NumberOfDecreasesToday").integer(0);
  json.name("ReadCapacityUnits").integer(throughput ? throughput->read_units : 0);
  json.name("WriteCapacityUnits").integer(throughput ? throughput->write_units : 0);
  json.end_object();
}

void write_statistics(json::Writer& json, const TableDescription& table, const std::string& index) {
  const auto found = table.index_statistics.find(index);
  const IndexStatistics statistics =
      found == table.index_statistics.end() ? IndexStatistics{} : found->second;
  json.name("IndexSizeBytes").integer(statistics.size_bytes);
  json.name("ItemCount").integer(statistics.item_count);
}

void write_limits(json::Writer& json, const std::optional<OnDemandLimits>& limits) {
  if (!limits) return;
  json.name("OnDemandThroughput").begin_object();
  if (limits->read_units) json.name("MaxReadRequestUnits").integer(*limits->read_units);
  if (limits->write_units) json.name("MaxWriteRequestUnits").integer(*limits->write_units);
  json.end_object();
}

void write_warmth(json::Writer& json, const std::optional<WarmThroughput>& warmth) {
  if (!warmth) return;
  json.name("WarmThroughput").begin_object();
  if (warmth->read_units) json.name("ReadUnitsPerSecond").integer(*warmth->read_units);
  if (warmth->write_units) json.name("WriteUnitsPerSecond").integer(*warmth->write_units);
  json.name("Status").text(enum_name(TableStatus::Active));
  json.end_object();
}

// A table with its server, and which of its indexes is being deleted.
struct Shown {
  const TableDescription& table;
  const ServerIdentity& server;
  const std::vector<std::string>& deleted_indexes;
};

// An index that is being created or deleted has its own status, others that of the table. Only one that is added to a
// table has Backfilling.
void write_status(json::Writer& json, const Shown& shown, const std::string& index) {
  const TableDescription& table = shown.table;
  const bool is_built = table.index_build && table.index_build->index == index;
  const bool is_deleted = std::ranges::find(shown.deleted_indexes, index) != shown.deleted_indexes.end();
  const TableStatus others = table.status == TableStatus::Updating ? TableStatus::Active : table.status;
  json.name("IndexStatus")
      .text(enum_name(is_deleted ? TableStatus::Deleting
                      : is_built ? TableStatus::Creating
                                 : others));
  if (is_built) json.name("Backfilling").boolean(true);
}

template <class Index>
void write_index(json::Writer& json, const Shown& shown, const Index& index) {
  const TableDescription& table = shown.table;
  json.begin_object();
  json.name("IndexName").text(index.name);
  write_key_schema(json, index.key_schema);
  write_projection(json, index.projection);
  write_statistics(json, table, index.name);
  json.name("IndexArn").text(table_arn(shown.server, table.table_name) + "/index/" + index.name);
  if constexpr (std::is_same_v<Index, GlobalIndex>) {
    write_status(json, shown, index.name);
    write_throughput(json, index.throughput);
    write_limits(json, index.on_demand_limits);
    write_warmth(json, index.warm_throughput);
  }
  json.end_object();
}

template <class Index>
void write_indexes(json::Writer& json, std::string_view name, const Shown& shown,
                   const std::vector<Index>& indexes) {
  if (indexes.empty()) return;
  json.name(name).begin_list();
  for (const Index& index : indexes) write_index(json, shown, index);
  json.end_list();
}

void write_billing(json::Writer& json, const TableDescription& table) {
  // Servers other than DynamoDB do not tell the time.
  if (table.on_demand_since || table.billing_mode == BillingMode::PayPerRequest) {
    json.name("BillingModeSummary").begin_object();
    json.name("BillingMode").text(enum_name(table.billing_mode));
    if (table.on_demand_since) {
      json.name("LastUpdateToPayPerRequestDateTime");
      write_time(json, *table.on_demand_since);
    }
    json.end_object();
  }
  if (table.table_class != TableClass::Standard) {
    json.name("TableClassSummary").begin_object();
    json.name("TableClass").text(enum_name(table.table_class));
    json.end_object();
  }
}

void write_stream(json::Writer& json, const TableDescription& table, const ServerIdentity& server) {
  if (table.stream_since) {
    json.name("LatestStreamArn").text(table_arn(server, to_text({table.table_name, *table.stream_since})));
    json.name("LatestStreamLabel").text(stream_label(*table.stream_since));
  }
  if (!table.stream) return;
  json.name("StreamSpecification").begin_object();
  json.name("StreamEnabled").boolean(true);
  json.name("StreamViewType").text(enum_name(*table.stream));
  json.end_object();
}

// Only while it is being restored, as on AWS.
void write_restore(json::Writer& json, const TableDescription& table, const ServerIdentity& server) {
  const auto& from = table.restored_from;
  if (!from) return;
  json.name("RestoreSummary").begin_object();
  json.name("RestoreDateTime");
  write_time(json, from->moment);
  json.name("RestoreInProgress").boolean(true);
  if (!from->backup.empty()) json.name("SourceBackupArn").text(table_arn(server, from->backup));
  json.name("SourceTableArn").text(table_arn(server, from->table_name));
  json.end_object();
}

void write_description(json::Writer& json, const Shown& shown) {
  const TableDescription& table = shown.table;
  const ServerIdentity& server = shown.server;
  json.begin_object();
  write_definitions(json, table.attribute_definitions);
  json.name("TableName").text(table.table_name);
  write_key_schema(json, table.key_schema);
  json.name("TableStatus").text(enum_name(table.status));
  json.name("CreationDateTime");
  write_time(json, table.created_at);
  write_throughput(json, table.throughput);
  json.name("TableSizeBytes").integer(table.size_bytes);
  json.name("ItemCount").integer(table.item_count);
  json.name("TableArn").text(table_arn(server, table.table_name));
  json.name("TableId").text(table.table_id);
  write_billing(json, table);
  write_indexes(json, "LocalSecondaryIndexes", shown, table.local_indexes);
  write_indexes(json, "GlobalSecondaryIndexes", shown, table.global_indexes);
  write_stream(json, table, server);
  write_restore(json, table, server);
  write_limits(json, table.on_demand_limits);
  write_warmth(json, table.warm_throughput);
  json.name("DeletionProtectionEnabled").boolean(table.deletion_protection);
  json.end_object();
}

}  // namespace

std::vector<AttributeDefinition> read_definitions(const Fields& in, Presence presence) {
  std::vector<AttributeDefinition> definitions;
  for (const Fields& fields : in.structures("AttributeDefinitions", "AttributeDefinition", presence)
                                  .value_or(std::vector<Fields>())) {
    AttributeDefinition& definition = definitions.emplace_back();
    definition.name = fields.text("AttributeName", Presence::Required).value_or(std::string());
    definition.type = fields.one_of<Type>("AttributeType", Presence::Required).value_or(Type::String);
  }
  return definitions;
}

std::vector<KeySchemaElement> read_key_schema(const Fields& in) {
  std::vector<KeySchemaElement> elements;
  for (const Fields& fields :
       in.structures("KeySchema", "KeySchemaElement", Presence::Required).value_or(std::vector<Fields>())) {
    KeySchemaElement& element = elements.emplace_back();
    element.name = fields.text("AttributeName", Presence::Required).value_or(std::string());
    element.type = fields.one_of<KeyType>("KeyType", Presence::Required).value_or(KeyType::Hash);
  }
  return elements;
}

IndexProjection read_projection(const Fields& in) {
  IndexProjection projection;
  const auto fields = in.structure("Projection", "Projection", Presence::Required);
  if (!fields) return projection;
  const auto type = fields->one_of<ProjectionType>("ProjectionType");
  if (!type && !fields->has("ProjectionType")) {
    in.problems().bad_value(
        Error::validation("One or more parameter values were invalid: Unknown ProjectionType: null"));
  }
  projection.type = type.value_or(ProjectionType::All);
  const auto attributes = fields->texts("NonKeyAttributes");
  if (attributes && attributes->empty()) {
    in.problems().constraints().add_broken("[]", fields->path_of("NonKeyAttributes"),
                                           "have length greater than or equal to 1");
  }
  projection.attributes = attributes.value_or(std::vector<std::string>());
  return projection;
}

std::optional<Throughput> read_throughput(const Fields& in, Presence presence) {
  const auto fields = in.structure("ProvisionedThroughput", "ProvisionedThroughput", presence);
  if (!fields) return std::nullopt;
  const auto write = fields->integer("WriteCapacityUnits", kLong, {.least = 1}, Presence::Required);
  const auto read = fields->integer("ReadCapacityUnits", kLong, {.least = 1}, Presence::Required);
  return Throughput{read.value_or(1), write.value_or(1)};
}

std::optional<OnDemandLimits> read_limits(const Fields& in) {
  const auto fields = in.structure("OnDemandThroughput", "OnDemandThroughput");
  if (!fields) return std::nullopt;
  return OnDemandLimits{.read_units = fields->integer("MaxReadRequestUnits", kLong),
                        .write_units = fields->integer("MaxWriteRequestUnits", kLong)};
}

std::optional<WarmThroughput> read_warmth(const Fields& in) {
  const auto fields = in.structure("WarmThroughput", "WarmThroughput");
  if (!fields) return std::nullopt;
  return WarmThroughput{.read_units = fields->integer("ReadUnitsPerSecond", kLong),
                        .write_units = fields->integer("WriteUnitsPerSecond", kLong)};
}

std::optional<BillingMode> read_billing_mode(const Fields& in) {
  return in.one_of<BillingMode>("BillingMode");
}

std::optional<TableClass> read_table_class(const Fields& in) { return in.one_of<TableClass>("TableClass"); }

std::optional<std::optional<StreamView>> read_stream(const Fields& in, const StreamWords& words) {
  const auto fields = in.structure("StreamSpecification", "StreamSpecification");
  if (!fields) return std::nullopt;
  const auto enabled = fields->boolean("StreamEnabled");
  if (!fields->has("StreamEnabled"))
    in.problems().constraints().add_missing(fields->path_of("StreamEnabled"));
  const auto view = fields->one_of<StreamView>("StreamViewType");
  const auto refuse_view = [&in](std::string_view why) {
    in.problems().bad_value(
        Error::validation("One or more parameter values were invalid: " + std::string(why)));
  };
  if (enabled == true && !fields->has("StreamViewType")) refuse_view(words.view_missing);
  if (enabled == false && view) refuse_view(words.view_too_much);
  return enabled.value_or(false) ? std::optional(view) : std::optional(std::optional<StreamView>());
}

Result<void> refuse_encryption(const Fields& in) {
  const auto fields = in.structure("SSESpecification", "SSESpecification");
  if (!fields || fields->boolean("Enabled") == false) return {};
  return refuse(in, {"SSESpecification"});
}

Tags read_tags(const Fields& in, Presence presence) {
  Tags tags;
  for (const Fields& fields : in.structures("Tags", "Tag", presence).value_or(std::vector<Fields>())) {
    const auto key = fields.text("Key", Presence::Required);
    const auto value = fields.text("Value", Presence::Required);
    if (key && value && !tags.emplace(*key, *value).second) {
      in.problems().bad_value(
          Error::validation("Duplicate Tag Keys provided as input: Duplicate Tag Key found " + *key));
    }
  }
  return tags;
}

void write_time(json::Writer& json, WallTime time) {
  json.decimal(static_cast<double>(time.time_since_epoch().count()) / 1000.0);
}

std::string write_table(std::string_view member, const TableDescription& table, const ServerIdentity& server,
                        const std::vector<std::string>& deleted_indexes) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name(member);
  write_description(json, {table, server, deleted_indexes});
  json.end_object();
  return out;
}

Result<std::string> table_of_resource(const Fields& in) {
  const auto arn = in.text("ResourceArn");
  TAVOLA_CHECK(in.problems().check());
  if (!arn) return fail(Error::validation("Invalid TableArn"));
  const auto invalid = [&arn](std::string_view why) {
    return fail(
        Error::validation("One or more parameter values were invalid: " + std::string(why) + ": " + *arn));
  };
  if (!arn->starts_with("arn:")) return invalid("ARNs must start with 'arn:'");
  if (!arn->contains(":dynamodb:")) return invalid("Provided Arn is not a DynamoDB resource arn");
  if (arn->contains("/index/")) {
    return invalid("Invalid resource arn provided, only table or stream is accepted. Provided resource arn");
  }
  const std::string_view table = table_in_arn(*arn);
  if (table == *arn) {
    return fail(Error::validation("Invalid TableArn: Invalid ResourceArn provided as input " + *arn));
  }
  return std::string(table);
}

Error tagging_error(const Fields& in, const Error& error) {
  if (error.code() != ErrorCode::ResourceNotFound) return error;
  return Error::resource_not_found("Requested resource not found: ResourceArn: " +
                                   in.text("ResourceArn").value_or(std::string()) + " not found");
}

}  // namespace tavola::wire
