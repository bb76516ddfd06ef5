#include "wire/created_table.h"

#include "wire/table_shapes.h"

namespace tavola::wire {

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

}  // namespace tavola::wire
