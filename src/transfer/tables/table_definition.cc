#include "transfer/tables/table_definition.h"

#include "json/writer.h"
#include "wire/codec/created_table.h"
#include "wire/codec/json.h"

namespace tavola::transfer {
namespace {

// A description reports capacity of both billing modes; CreateTable takes that of its own mode only. Warm throughput is reported even
// if nobody has asked for it, and asking for it costs money on AWS.
CreateTableRequest created_like(const TableDescription& table) {
  const bool is_provisioned = table.billing_mode == BillingMode::Provisioned;
  CreateTableRequest request{.table_name = table.table_name,
                             .attribute_definitions = table.attribute_definitions,
                             .key_schema = table.key_schema,
                             .global_indexes = table.global_indexes,
                             .local_indexes = table.local_indexes,
                             .billing_mode = table.billing_mode,
                             .deletion_protection = table.deletion_protection,
                             .table_class = table.table_class,
                             .stream = table.stream};
  if (is_provisioned) request.throughput = table.throughput;
  if (!is_provisioned) request.on_demand_limits = table.on_demand_limits;
  for (GlobalIndex& index : request.global_indexes) {
    if (!is_provisioned) index.throughput.reset();
    if (is_provisioned) index.on_demand_limits.reset();
    index.warm_throughput.reset();
  }
  return request;
}

// Adds a note, or fails if the error is not about who asks or what the server knows.
Result<void> leave_out(const std::string& what, const Error& error, std::vector<std::string>& notes) {
  if (error.code() != ErrorCode::AccessDenied && error.code() != ErrorCode::UnknownOperation) {
    return fail(error);
  }
  notes.push_back(what + " not copied: " + error.message());
  return {};
}

}  // namespace

Result<TableDefinition> definition_of(Database& database, const TableDescription& table,
                                      std::vector<std::string>& notes) {
  TableDefinition definition{.table = created_like(table)};
  auto tags = database.list_tags_of_resource({.table_name = table.table_name});
  if (!tags) {
    TAVOLA_CHECK(leave_out("its tags are", tags.error(), notes));
  } else {
    definition.table.tags = std::move(tags->tags);
    // AWS sets these itself and refuses them from others.
    std::erase_if(definition.table.tags, [](const auto& tag) { return tag.first.starts_with("aws:"); });
  }
  const auto expiry = database.describe_time_to_live({.table_name = table.table_name});
  if (!expiry) {
    TAVOLA_CHECK(leave_out("its time to live is", expiry.error(), notes));
  } else if (expiry->time_to_live.status == TimeToLiveStatus::Enabled) {
    definition.time_to_live_attribute = expiry->time_to_live.attribute_name;
  }
  return definition;
}

std::string to_json(const TableDefinition& definition) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("CreateTable").raw() += wire::to_json(definition.table);
  if (!definition.time_to_live_attribute.empty())
    json.name("TimeToLiveAttribute").text(definition.time_to_live_attribute);
  json.end_object();
  return out + "\n";
}

Result<TableDefinition> read_definition(std::string_view json) {
  const auto document = wire::JsonDocument::parse(json);
  if (!document || document->root().type() != wire::JsonType::Object) {
    return fail(Error::validation("this is not a table definition: it is not a JSON object"));
  }
  wire::Problems problems;
  const wire::Fields in(document->root(), problems);
  // The input of CreateTable is accepted as it is, too.
  const auto table =
      in.has("CreateTable") ? in.structure("CreateTable", "CreateTableInput") : std::optional(in);
  TableDefinition definition;
  if (table) definition.table = wire::read_created_table(*table);
  definition.time_to_live_attribute = in.text("TimeToLiveAttribute").value_or(std::string());
  if (const Result<void> good = problems.check(); !good) {
    return fail(Error::validation("this is not a table definition: " + good.error().message()));
  }
  return definition;
}

}  // namespace tavola::transfer
