#include "wire/client/table_requests.h"

#include "json/writer.h"
#include "wire/codec/created_table.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

std::string tagged_resource(const std::string& arn, const auto& write_more) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ResourceArn").text(arn);
  write_more(json);
  json.end_object();
  return out;
}

void write_index_updates(json::Writer& json, const UpdateTableRequest& request) {
  if (request.index_updates.empty() && request.created_indexes.empty() && request.deleted_indexes.empty())
    return;
  json.name("GlobalSecondaryIndexUpdates").begin_list();
  for (const auto& [name, update] : request.index_updates) {
    json.begin_object();
    json.name("Update").begin_object();
    json.name("IndexName").text(name);
    write_capacity_settings(json, {update.throughput, update.on_demand_limits, update.warm_throughput});
    json.end_object();
    json.end_object();
  }
  for (const GlobalIndex& index : request.created_indexes) {
    json.begin_object();
    json.name("Create");
    write_global_index(json, index);
    json.end_object();
  }
  for (const std::string& name : request.deleted_indexes) {
    json.begin_object();
    json.name("Delete").begin_object();
    json.name("IndexName").text(name);
    json.end_object();
    json.end_object();
  }
  json.end_list();
}

void write_stream_change(json::Writer& json, const std::optional<StreamView>& stream) {
  json.name("StreamSpecification").begin_object();
  json.name("StreamEnabled").boolean(stream.has_value());
  if (stream) json.name("StreamViewType").text(enum_name(*stream));
  json.end_object();
}

}  // namespace

std::string table_body(const std::string& table) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(table);
  json.end_object();
  return out;
}

std::string to_json(const ListTablesRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!request.exclusive_start_table_name.empty())
    json.name("ExclusiveStartTableName").text(request.exclusive_start_table_name);
  if (request.limit) json.name("Limit").integer(*request.limit);
  json.end_object();
  return out;
}

std::string to_json(const UpdateTableRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(request.table_name);
  if (!request.attribute_definitions.empty()) write_definitions(json, request.attribute_definitions);
  if (request.billing_mode) json.name("BillingMode").text(enum_name(*request.billing_mode));
  write_capacity_settings(json, {request.throughput, request.on_demand_limits, request.warm_throughput});
  write_index_updates(json, request);
  if (request.deletion_protection)
    json.name("DeletionProtectionEnabled").boolean(*request.deletion_protection);
  if (request.table_class) json.name("TableClass").text(enum_name(*request.table_class));
  if (request.stream) write_stream_change(json, *request.stream);
  json.end_object();
  return out;
}

std::string to_json(const UpdateTimeToLiveRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(request.table_name);
  json.name("TimeToLiveSpecification").begin_object();
  json.name("AttributeName").text(request.attribute_name);
  json.name("Enabled").boolean(request.enabled);
  json.end_object();
  json.end_object();
  return out;
}

std::string tag_body(const std::string& arn, const Tags& tags) {
  return tagged_resource(arn, [&tags](json::Writer& json) { write_tags(json, tags); });
}

std::string untag_body(const std::string& arn, const std::vector<std::string>& keys) {
  return tagged_resource(arn, [&keys](json::Writer& json) {
    json.name("TagKeys").begin_list();
    for (const std::string& key : keys) json.text(key);
    json.end_list();
  });
}

std::string list_tags_body(const std::string& arn, const std::string& next_token) {
  return tagged_resource(arn, [&next_token](json::Writer& json) {
    if (!next_token.empty()) json.name("NextToken").text(next_token);
  });
}

}  // namespace tavola::wire
