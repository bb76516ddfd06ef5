#include "wire/codec/created_table.h"

#include "database/enum_names.h"
#include "json/writer.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

void write_provisioned(json::Writer& json, const std::optional<Throughput>& throughput) {
  if (!throughput) return;
  json.name("ProvisionedThroughput").begin_object();
  json.name("ReadCapacityUnits").integer(throughput->read_units);
  json.name("WriteCapacityUnits").integer(throughput->write_units);
  json.end_object();
}

void write_units(json::Writer& json, std::string_view name, const std::optional<std::int64_t>& units) {
  if (units) json.name(name).integer(*units);
}

void write_index_head(json::Writer& json, const auto& index) {
  json.name("IndexName").text(index.name);
  write_key_schema(json, index.key_schema);
  write_projection(json, index.projection);
}

void write_index(json::Writer& json, const GlobalIndex& index) { write_global_index(json, index); }
void write_index(json::Writer& json, const LocalIndex& index) { write_local_index(json, index); }

template <class Index>
void write_indexes(json::Writer& json, std::string_view name, const std::vector<Index>& indexes) {
  if (indexes.empty()) return;
  json.name(name).begin_list();
  for (const Index& index : indexes) write_index(json, index);
  json.end_list();
}

}  // namespace

void write_capacity_settings(json::Writer& json, const CapacitySettings& settings) {
  write_provisioned(json, settings.throughput);
  if (const auto& limits = settings.on_demand_limits) {
    json.name("OnDemandThroughput").begin_object();
    write_units(json, "MaxReadRequestUnits", limits->read_units);
    write_units(json, "MaxWriteRequestUnits", limits->write_units);
    json.end_object();
  }
  if (const auto& warmth = settings.warm_throughput) {
    json.name("WarmThroughput").begin_object();
    write_units(json, "ReadUnitsPerSecond", warmth->read_units);
    write_units(json, "WriteUnitsPerSecond", warmth->write_units);
    json.end_object();
  }
}

void write_global_index(json::Writer& json, const GlobalIndex& index) {
  json.begin_object();
  write_index_head(json, index);
  write_capacity_settings(json, {index.throughput, index.on_demand_limits, index.warm_throughput});
  json.end_object();
}

void write_local_index(json::Writer& json, const LocalIndex& index) {
  json.begin_object();
  write_index_head(json, index);
  json.end_object();
}

void write_tags(json::Writer& json, const Tags& tags) {
  if (tags.empty()) return;
  json.name("Tags").begin_list();
  for (const auto& [key, value] : tags) {
    json.begin_object();
    json.name("Key").text(key);
    json.name("Value").text(value);
    json.end_object();
  }
  json.end_list();
}

std::vector<LocalIndex> read_local_indexes(const Fields& in) {
  std::vector<LocalIndex> indexes;
  for (const Fields& fields :
       in.structures("LocalSecondaryIndexes", "LocalSecondaryIndex").value_or(std::vector<Fields>())) {
    LocalIndex& index = indexes.emplace_back();
    index.name = fields.name("IndexName", Presence::Required).value_or(std::string());
    index.key_schema = read_key_schema(fields);
    index.projection = read_projection(fields);
  }
  return indexes;
}

GlobalIndex read_global_index(const Fields& in) {
  GlobalIndex index;
  index.name = in.name("IndexName", Presence::Required).value_or(std::string());
  index.key_schema = read_key_schema(in);
  index.projection = read_projection(in);
  index.throughput = read_throughput(in);
  index.on_demand_limits = read_limits(in);
  index.warm_throughput = read_warmth(in);
  return index;
}

std::vector<GlobalIndex> read_global_indexes(const Fields& in) {
  std::vector<GlobalIndex> indexes;
  for (const Fields& fields :
       in.structures("GlobalSecondaryIndexes", "GlobalSecondaryIndex").value_or(std::vector<Fields>())) {
    indexes.push_back(read_global_index(fields));
  }
  return indexes;
}

CreateTableRequest read_created_table(const Fields& in) {
  CreateTableRequest request;
  request.attribute_definitions = read_definitions(in, Presence::Required);
  request.table_name = in.managed_table_name();
  request.billing_mode = read_billing_mode(in).value_or(BillingMode::Provisioned);
  request.throughput = read_throughput(in);
  request.on_demand_limits = read_limits(in);
  request.warm_throughput = read_warmth(in);
  request.key_schema = read_key_schema(in);
  request.global_indexes = read_global_indexes(in);
  request.local_indexes = read_local_indexes(in);
  request.deletion_protection = in.boolean("DeletionProtectionEnabled").value_or(false);
  request.table_class = read_table_class(in).value_or(TableClass::Standard);
  request.stream =
      read_stream(in,
                  {"Table is being created with a stream enabled, UpdateViewType is required",
                   "Table is being created with a stream disabled, UpdateViewType should not be specified"})
          .value_or(std::nullopt);
  request.tags = read_tags(in);
  return request;
}

std::string to_json(const CreateTableRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(request.table_name);
  write_definitions(json, request.attribute_definitions);
  write_key_schema(json, request.key_schema);
  write_indexes(json, "LocalSecondaryIndexes", request.local_indexes);
  write_indexes(json, "GlobalSecondaryIndexes", request.global_indexes);
  json.name("BillingMode").text(enum_name(request.billing_mode));
  write_capacity_settings(json, {request.throughput, request.on_demand_limits, request.warm_throughput});
  if (request.deletion_protection) json.name("DeletionProtectionEnabled").boolean(true);
  if (request.table_class != TableClass::Standard)
    json.name("TableClass").text(enum_name(request.table_class));
  if (request.stream) {
    json.name("StreamSpecification").begin_object();
    json.name("StreamEnabled").boolean(true);
    json.name("StreamViewType").text(enum_name(*request.stream));
    json.end_object();
  }
  write_tags(json, request.tags);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
