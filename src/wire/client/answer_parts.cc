#include "wire/client/answer_parts.h"

#include <charconv>
#include <cmath>

#include "base/assert.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/stream_shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

std::optional<double> number_of(JsonValue value) {
  if (value.type() != JsonType::Decimal && value.type() != JsonType::Integer) return std::nullopt;
  const std::string text = value.to_text();
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// AWS and Tavola write capacity units as numbers, mostly with a fraction: 0.5.
std::optional<double> number_in(const Fields& in, std::string_view name) {
  const auto member = in.find(name);
  return member ? number_of(*member) : std::nullopt;
}

std::map<std::string, double, std::less<>> read_index_units(const Fields& in, std::string_view name) {
  std::map<std::string, double, std::less<>> units;
  const auto indexes = in.structure_map(name, "Capacity");
  if (!indexes) return units;
  for (const auto& [index, fields] : *indexes) units[index] = number_in(fields, "CapacityUnits").value_or(0);
  return units;
}

ConsumedCapacity capacity_of(const Fields& in) {
  ConsumedCapacity capacity;
  capacity.table_name = text_in(in, "TableName");
  capacity.units = number_in(in, "CapacityUnits").value_or(0);
  capacity.read_units = number_in(in, "ReadCapacityUnits");
  capacity.write_units = number_in(in, "WriteCapacityUnits");
  if (const auto table = in.structure("Table", "Capacity"))
    capacity.table_units = number_in(*table, "CapacityUnits");
  capacity.local_index_units = read_index_units(in, "LocalSecondaryIndexes");
  capacity.global_index_units = read_index_units(in, "GlobalSecondaryIndexes");
  return capacity;
}

ItemCollectionMetrics metrics_of(const Fields& in) {
  ItemCollectionMetrics metrics;
  metrics.item_collection_key = read_item_or_empty(in, "ItemCollectionKey");
  const auto bounds = in.list("SizeEstimateRangeGB").value_or(std::vector<JsonValue>());
  for (std::size_t i = 0; i < bounds.size() && i < metrics.size_estimate_range_gb.size(); ++i) {
    metrics.size_estimate_range_gb.at(i) = number_of(bounds[i]).value_or(0);
  }
  return metrics;
}

}  // namespace

void write_time_member(json::Writer& json, std::string_view name, const std::optional<WallTime>& time) {
  if (!time) return;
  json.name(name);
  write_time(json, *time);
}

std::string text_in(const Fields& in, std::string_view name) { return in.text(name).value_or(std::string()); }

std::optional<WallTime> time_in(const Fields& in, std::string_view name) {
  const std::optional<double> seconds = number_in(in, name);
  if (!seconds) return std::nullopt;
  return WallTime(std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

std::string part_of_arn(const Fields& in, std::string_view name) {
  return std::string(resource_in_arn(text_in(in, name)).value_or(std::string_view()));
}

std::string table_of_part(const std::string& part) { return part.substr(0, part.find('/')); }

Result<Fields> required_structure(const Fields& in, std::string_view name) {
  std::optional<Fields> fields = in.structure(name, name, Presence::Required);
  TAVOLA_CHECK(in.problems().check());
  TAVOLA_ASSERT(fields.has_value());
  return *std::move(fields);
}

std::optional<Throughput> read_provisioned(const Fields& in) {
  const auto fields = in.structure("ProvisionedThroughput", "ProvisionedThroughput");
  if (!fields) return std::nullopt;
  const Throughput throughput{fields->integer("ReadCapacityUnits", kLong).value_or(0),
                              fields->integer("WriteCapacityUnits", kLong).value_or(0)};
  return throughput == Throughput{} ? std::nullopt : std::optional(throughput);
}

std::optional<OnDemandLimits> read_on_demand(const Fields& in) {
  const auto fields = in.structure("OnDemandThroughput", "OnDemandThroughput");
  if (!fields) return std::nullopt;
  const auto limit = [&fields](std::string_view name) {
    const auto units = fields->integer(name, kLong);
    return units && *units > 0 ? units : std::nullopt;
  };
  const OnDemandLimits limits{limit("MaxReadRequestUnits"), limit("MaxWriteRequestUnits")};
  return limits == OnDemandLimits{} ? std::nullopt : std::optional(limits);
}

template <class Index>
std::vector<Index> read_described_indexes(const Fields& table, std::string_view member) {
  std::vector<Index> indexes;
  for (const Fields& fields : table.structures(member, member).value_or(std::vector<Fields>())) {
    Index& index = indexes.emplace_back();
    index.name = text_in(fields, "IndexName");
    index.key_schema = read_key_schema(fields);
    index.projection = read_projection(fields);
    if constexpr (std::is_same_v<Index, GlobalIndex>) {
      index.throughput = read_provisioned(fields);
      index.on_demand_limits = read_on_demand(fields);
      index.warm_throughput = read_warmth(fields);
    }
  }
  return indexes;
}
template std::vector<GlobalIndex> read_described_indexes<GlobalIndex>(const Fields& table,
                                                                      std::string_view member);
template std::vector<LocalIndex> read_described_indexes<LocalIndex>(const Fields& table,
                                                                    std::string_view member);

std::optional<ConsumedCapacity> read_capacity(const Fields& in) {
  const auto capacity = in.structure("ConsumedCapacity", "ConsumedCapacity");
  return capacity ? std::optional(capacity_of(*capacity)) : std::nullopt;
}

std::vector<ConsumedCapacity> read_capacities(const Fields& in) {
  std::vector<ConsumedCapacity> capacities;
  for (const Fields& capacity :
       in.structures("ConsumedCapacity", "ConsumedCapacity").value_or(std::vector<Fields>())) {
    capacities.push_back(capacity_of(capacity));
  }
  return capacities;
}

std::optional<ItemCollectionMetrics> read_metrics(const Fields& in) {
  const auto metrics = in.structure("ItemCollectionMetrics", "ItemCollectionMetrics");
  return metrics ? std::optional(metrics_of(*metrics)) : std::nullopt;
}

std::vector<TableMetrics> read_table_metrics(const Fields& in) {
  std::vector<TableMetrics> tables;
  const auto map = in.map("ItemCollectionMetrics", "java.util.List");
  if (!map) return tables;
  for (const auto& [name, list] : map->members()) {
    TableMetrics& table = tables.emplace_back(TableMetrics{.table_name = std::string(name)});
    const auto elements = list_of(list, "itemCollectionMetrics", in.problems());
    for (const JsonValue element : elements.value_or(std::vector<JsonValue>())) {
      if (is_structure(element, "ItemCollectionMetrics", in.problems()))
        table.metrics.push_back(metrics_of(Fields(element, in.problems())));
    }
  }
  return tables;
}

}  // namespace tavola::wire
