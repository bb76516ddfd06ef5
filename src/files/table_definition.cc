#include "files/table_definition.h"

#include "json/writer.h"
#include "wire/codec/created_table.h"
#include "wire/codec/json.h"

namespace tavola::files {

CreateTableRequest created_like(const TableDescription& table) {
  return {.table_name = table.table_name,
          .attribute_definitions = table.attribute_definitions,
          .key_schema = table.key_schema,
          .global_indexes = table.global_indexes,
          .local_indexes = table.local_indexes,
          .billing_mode = table.billing_mode,
          .throughput = table.billing_mode == BillingMode::Provisioned ? table.throughput : std::nullopt,
          .on_demand_limits = table.on_demand_limits,
          .deletion_protection = table.deletion_protection,
          .table_class = table.table_class,
          .stream = table.stream};
}

Result<TableDefinition> definition_of(Database& database, const TableDescription& table) {
  TableDefinition definition{.table = created_like(table)};
  // A server elsewhere may not tell these, or not to everybody: the items matter more.
  if (auto tags = database.list_tags_of_resource({.table_name = table.table_name})) {
    definition.table.tags = std::move(tags->tags);
  }
  if (const auto expiry = database.describe_time_to_live({.table_name = table.table_name})) {
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
    return fail(Error::validation("this is no definition of a table: it is no JSON object"));
  }
  wire::Problems problems;
  const wire::Fields in(document->root(), problems);
  // What CreateTable takes is taken as it is, too.
  const auto table =
      in.has("CreateTable") ? in.structure("CreateTable", "CreateTableInput") : std::optional(in);
  TableDefinition definition;
  if (table) definition.table = wire::read_created_table(*table);
  definition.time_to_live_attribute = in.text("TimeToLiveAttribute").value_or(std::string());
  if (const Result<void> good = problems.check(); !good) {
    return fail(Error::validation("this is no definition of a table: " + good.error().message()));
  }
  return definition;
}

}  // namespace tavola::files
