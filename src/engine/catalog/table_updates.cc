// UpdateTable. AWS's refusals of updates that cannot be combined were surveyed in October 2026 (ack-api-quirks,
// DDB-TABLE-159 to 174 and 382).
#include <algorithm>
#include <set>

#include "base/joined.h"
#include "database/enum_names.h"
#include "engine/catalog/tables.h"
#include "engine/checks/capacity_settings.h"
#include "engine/checks/member_checks.h"
#include "engine/checks/messages.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// ---- Combinations ----

bool changes_indexes(const UpdateTableRequest& request) {
  return !request.created_indexes.empty() || !request.deleted_indexes.empty();
}

// Counts the aspects that an UpdateTable changes. The two of billing belong together, and an update of indexes can be
// combined with most.
int concerns_of(const UpdateTableRequest& request) {
  return int{request.billing_mode || request.throughput} + int{says_anything(request.on_demand_limits)} +
         int{says_anything(request.warm_throughput)} +
         int{changes_indexes(request) || !request.index_updates.empty()} +
         int{request.deletion_protection.has_value()} + int{request.table_class.has_value()} +
         int{request.stream.has_value()};
}

Result<void> check_goes_with_indexes(const UpdateTableRequest& request) {
  if (!changes_indexes(request)) return {};
  if (request.throughput) {
    return fail(invalid_parameter("You cannot create or delete index while updating table IOPS"));
  }
  if (request.stream) {
    return fail(invalid_parameter("You cannot create or delete index while changing stream status"));
  }
  return {};
}

Result<void> check_goes_together(const UpdateTableRequest& request) {
  const int concerns = concerns_of(request);
  if (concerns == 1) return {};
  const auto alone = [](std::string_view what) {
    return fail(invalid_parameter(std::string(what) + " must be the only operation in the request"));
  };
  if (request.deletion_protection) return alone("DeletionProtection modification");
  if (request.table_class) return alone("TableClass modification");
  const bool is_warmed = says_anything(request.warm_throughput);
  if (says_anything(request.on_demand_limits) && (request.stream || is_warmed || changes_indexes(request))) {
    return fail(invalid_parameter(
        "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"));
  }
  if (is_warmed) {
    if (!request.created_indexes.empty()) {
      return fail(invalid_parameter(
          "Create global secondary index cannot be specified when updating WarmThroughput"));
    }
    if (concerns > 2 || request.index_updates.empty()) return alone("WarmThroughput");
  }
  if (request.stream && (request.throughput || request.billing_mode == BillingMode::Provisioned)) {
    return fail(invalid_parameter("You cannot modify stream status while updating table IOPS"));
  }
  return check_goes_with_indexes(request);
}

// An index is named once, whatever the change.
Result<void> check_named_once(const UpdateTableRequest& request) {
  std::set<std::string_view> names;
  const auto check = [&names](const std::string& name) -> Result<void> {
    if (names.insert(name).second) return {};
    return fail(invalid_parameter(
        "Only one global secondary index update per index is allowed simultaneously. Index: " + name));
  };
  for (const auto& [name, update] : request.index_updates) TAVOLA_CHECK(check(name));
  for (const GlobalIndex& index : request.created_indexes) TAVOLA_CHECK(check(index.name));
  for (const std::string& name : request.deleted_indexes) TAVOLA_CHECK(check(name));
  return {};
}

// ---- Throughput ----

Result<void> check_changes(const std::optional<Throughput>& now, const Throughput& wanted,
                           std::string_view what) {
  if (now == wanted) {
    return fail(
        throughput_unchanged(what, std::to_string(wanted.read_units), std::to_string(wanted.write_units)));
  }
  return {};
}

Result<void> update_throughput(const UpdateTableRequest& request, BillingMode mode,
                               TableDescription& description) {
  if (request.throughput) {
    TAVOLA_CHECK(check_throughput(*request.throughput));
  }
  if (mode == BillingMode::PayPerRequest) {
    TAVOLA_CHECK(check_billing(mode, request.throughput));
    description.throughput.reset();
    return {};
  }
  if (!request.throughput && !request.billing_mode) {
    return {};
  }
  if (!request.throughput) {
    return fail(invalid_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"));
  }
  TAVOLA_CHECK(check_changes(description.throughput, *request.throughput, "table"));
  description.throughput = request.throughput;
  return {};
}

// Returns the global index of this name; `verb` is the intended change.
Result<std::vector<GlobalIndex>::iterator> find_global(TableDescription& table, const std::string& name,
                                                       std::string_view verb) {
  const auto index = std::ranges::find(table.global_indexes, name, &GlobalIndex::name);
  if (index != table.global_indexes.end()) return index;
  if (std::ranges::find(table.local_indexes, name, &LocalIndex::name) != table.local_indexes.end()) {
    return fail(Error::validation("Cannot " + std::string(verb) +
                                  " an index that is not a GlobalSecondaryIndex: " + name));
  }
  return fail(index_to_change_not_found(name, table.table_name));
}

Result<void> update_index(const GlobalIndexUpdate& wanted, BillingMode mode, GlobalIndex& index) {
  if (!wanted.throughput) return {};
  if (mode == BillingMode::PayPerRequest) {
    return fail(
        invalid_parameter("The only Updates for index: " + index.name +
                          " when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, "
                          "WarmThroughput"));
  }
  TAVOLA_CHECK(check_throughput(*wanted.throughput, " for index " + index.name));
  TAVOLA_CHECK(check_changes(index.throughput, *wanted.throughput, "index " + index.name));
  index.throughput = wanted.throughput;
  return {};
}

// With provisioned billing every global index has its own throughput; on demand none has.
Result<void> update_index_throughput(const UpdateTableRequest& request, BillingMode mode,
                                     TableDescription& description) {
  for (const auto& [name, wanted] : request.index_updates) {
    TAVOLA_TRY(const auto index, find_global(description, name, "update"));
    TAVOLA_CHECK(update_index(wanted, mode, *index));
  }
  for (GlobalIndex& index : description.global_indexes) {
    if (mode == BillingMode::PayPerRequest) {
      index.throughput.reset();
    } else if (!index.throughput) {
      return fail(invalid_parameter("ProvisionedThroughput must be specified for index: " + index.name));
    }
  }
  return {};
}

// For the table and all its indexes: the provisioned throughput may have changed.
Result<void> update_capacity(const UpdateTableRequest& request, const TableDescription& before,
                             TableDescription& after) {
  const CapacityOf table_before{.mode = before.billing_mode, .throughput = before.throughput};
  const CapacityOf table_after{.mode = after.billing_mode, .throughput = after.throughput};
  TAVOLA_CHECK(change_limits(table_after, request.on_demand_limits, after.on_demand_limits));
  TAVOLA_CHECK(change_warmth(table_before, table_after, request.warm_throughput, after.warm_throughput));
  for (GlobalIndex& index : after.global_indexes) {
    const auto known = std::ranges::find(before.global_indexes, index.name, &GlobalIndex::name);
    if (known == before.global_indexes.end()) continue;  // a new one is checked separately
    const auto update = request.index_updates.find(index.name);
    const GlobalIndexUpdate wanted =
        update == request.index_updates.end() ? GlobalIndexUpdate{} : update->second;
    const CapacityOf was{.mode = before.billing_mode, .throughput = known->throughput, .index = index.name};
    const CapacityOf is{.mode = after.billing_mode, .throughput = index.throughput, .index = index.name};
    TAVOLA_CHECK(change_limits(is, wanted.on_demand_limits, index.on_demand_limits));
    TAVOLA_CHECK(change_warmth(was, is, wanted.warm_throughput, index.warm_throughput));
  }
  return {};
}

// ---- Created and deleted indexes ----

bool has_index(const TableDescription& table, const std::string& name) {
  return std::ranges::find(table.global_indexes, name, &GlobalIndex::name) != table.global_indexes.end() ||
         std::ranges::find(table.local_indexes, name, &LocalIndex::name) != table.local_indexes.end();
}

// Calls `use` with every key of the table and its indexes.
template <class Use>
void for_each_key(const TableDescription& table, Use use) {
  use(table.key_schema);
  for (const LocalIndex& index : table.local_indexes) use(index.key_schema);
  for (const GlobalIndex& index : table.global_indexes) use(index.key_schema);
}

const AttributeDefinition* find_definition(const std::vector<AttributeDefinition>& definitions,
                                           std::string_view name) {
  const auto found = std::ranges::find(definitions, name, &AttributeDefinition::name);
  return found == definitions.end() ? nullptr : &*found;
}

// "Schema:[SchemaElement: key{a:S:HASH}]"
std::string schema_text(const std::vector<KeySchemaElement>& key,
                        const std::vector<AttributeDefinition>& definitions) {
  return "Schema:" + bracketed(key, [&](const KeySchemaElement& element) {
           const AttributeDefinition* const definition = find_definition(definitions, element.name);
           return "SchemaElement: key{" + element.name + ":" +
                  std::string(definition == nullptr ? "" : enum_name(definition->type)) + ":" +
                  std::string(enum_name(element.type)) + "}";
         });
}

// An attribute has one type in all keys.
Result<void> check_same_types(const TableDescription& table, const GlobalIndex& index,
                              const std::vector<AttributeDefinition>& definitions) {
  for (const KeySchemaElement& element : index.key_schema) {
    const AttributeDefinition* const wanted = find_definition(definitions, element.name);
    const AttributeDefinition* const known = find_definition(table.attribute_definitions, element.name);
    if (wanted == nullptr || known == nullptr || wanted->type == known->type) continue;
    const std::vector<KeySchemaElement>* existing = nullptr;
    for_each_key(table, [&](const std::vector<KeySchemaElement>& key) {
      const bool has_it = std::ranges::find(key, element.name, &KeySchemaElement::name) != key.end();
      if (existing == nullptr && has_it) existing = &key;
    });
    return fail(invalid_parameter(
        "Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        "defined. Existing schema: " +
        (existing == nullptr ? std::string() : schema_text(*existing, table.attribute_definitions)) +
        " New schema: " + schema_text(index.key_schema, definitions)));
  }
  return {};
}

Result<void> check_new_throughput(const GlobalIndex& index, BillingMode mode) {
  if (mode == BillingMode::Provisioned && !index.throughput) {
    return fail(invalid_parameter(
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: " + index.name));
  }
  if (mode == BillingMode::PayPerRequest && index.throughput) {
    return fail(invalid_parameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: " + index.name +
        " when BillingMode is PAY_PER_REQUEST"));
  }
  return index.throughput ? check_throughput(*index.throughput, " for index " + index.name) : Result<void>();
}

// Definitions that the new index does not use are ignored, as on AWS.
void define_keys(const GlobalIndex& index, const std::vector<AttributeDefinition>& definitions,
                 TableDescription& table) {
  for (const KeySchemaElement& element : index.key_schema) {
    if (find_definition(table.attribute_definitions, element.name) != nullptr) continue;
    table.attribute_definitions.push_back(*find_definition(definitions, element.name));
  }
}

Result<void> create_index(const UpdateTableRequest& request, GlobalIndex index, TableDescription& table) {
  const std::vector<AttributeDefinition>& definitions = request.attribute_definitions;
  if (definitions.empty()) {
    return fail(invalid_parameter("AttributeDefinitions is not specified for index: " + index.name));
  }
  TAVOLA_CHECK(check_definitions(definitions));
  TAVOLA_CHECK(check_index_shape(index, definitions, "globalSecondaryIndexUpdates.1.member.create"));
  TAVOLA_CHECK(check_same_types(table, index, definitions));
  TAVOLA_CHECK(check_new_throughput(index, table.billing_mode));
  const CapacityOf capacity{.mode = table.billing_mode, .throughput = index.throughput, .index = index.name};
  TAVOLA_CHECK(check_new_limits(capacity, index.on_demand_limits));
  TAVOLA_CHECK(check_new_warmth(capacity, index.warm_throughput));
  define_keys(index, definitions, table);
  table.index_build = IndexBuild{.index = index.name};
  table.global_indexes.push_back(std::move(index));
  return check_projected(table.local_indexes, table.global_indexes);
}

Result<void> delete_index(const std::string& name, TableDescription& table) {
  TAVOLA_TRY(const auto index, find_global(table, name, "delete"));
  table.global_indexes.erase(index);
  if (table.index_build && table.index_build->index == name) table.index_build.reset();
  std::set<std::string_view> used;
  for_each_key(table, [&used](const std::vector<KeySchemaElement>& key) {
    for (const KeySchemaElement& element : key) used.insert(element.name);
  });
  std::erase_if(table.attribute_definitions,
                [&used](const AttributeDefinition& definition) { return !used.contains(definition.name); });
  return {};
}

// Returns whether another index is already being created or deleted.
bool is_building_another(const UpdateTableRequest& request, const TableDescription& table) {
  return table.index_build && !(request.created_indexes.empty() && request.deleted_indexes.size() == 1 &&
                                request.deleted_indexes[0] == table.index_build->index);
}

Result<void> update_indexes(const UpdateTableRequest& request, TableDescription& table) {
  if (!changes_indexes(request)) return {};
  for (const GlobalIndex& index : request.created_indexes) {
    if (has_index(table, index.name)) {
      return fail(Error::validation("Attempting to create an index which already exists"));
    }
  }
  if (request.created_indexes.size() + request.deleted_indexes.size() > 1) return fail(one_index_at_a_time());
  for (const std::string& name : request.deleted_indexes) TAVOLA_CHECK(find_global(table, name, "delete"));
  if (is_building_another(request, table)) return fail(one_index_at_a_time());
  for (const std::string& name : request.deleted_indexes) TAVOLA_CHECK(delete_index(name, table));
  for (const GlobalIndex& index : request.created_indexes) {
    if (table.global_indexes.size() >= limits::kGlobalIndexesMax) {
      return fail(Error::limit_exceeded(
          "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20"));
    }
    TAVOLA_CHECK(create_index(request, index, table));
  }
  return {};
}

Result<void> update_stream(const UpdateTableRequest& request, TableDescription& description) {
  if (!request.stream) return {};
  if (*request.stream && description.stream) {
    return fail(
        Error::validation("Table already has an enabled stream: TableName: " + description.table_name));
  }
  if (!*request.stream && !description.stream) {
    return fail(Error::validation("Table has no stream to disable: TableName: " + description.table_name));
  }
  description.stream = *request.stream;
  return {};
}

}  // namespace

Result<void> check_update(const UpdateTableRequest& request) {
  TAVOLA_CHECK(check_members(request));
  if (concerns_of(request) == 0) {
    return fail(Error::validation(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates, "
        "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
        "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass "
        "is "
        "required"));
  }
  TAVOLA_CHECK(check_goes_together(request));
  return check_named_once(request);
}

Result<void> apply_update(const UpdateTableRequest& request, TableDescription& description) {
  const TableDescription before = description;
  const BillingMode mode = request.billing_mode.value_or(description.billing_mode);
  TAVOLA_CHECK(update_throughput(request, mode, description));
  TAVOLA_CHECK(update_index_throughput(request, mode, description));
  description.billing_mode = mode;
  TAVOLA_CHECK(update_capacity(request, before, description));
  TAVOLA_CHECK(update_indexes(request, description));
  description.deletion_protection = request.deletion_protection.value_or(description.deletion_protection);
  description.table_class = request.table_class.value_or(description.table_class);
  return update_stream(request, description);
}

void show_deleted(const TableDescription& before, const UpdateTableRequest& request,
                  TableDescription& after) {
  for (const std::string& name : request.deleted_indexes) {
    const auto gone = std::ranges::find(before.global_indexes, name, &GlobalIndex::name);
    if (gone == before.global_indexes.end() || has_index(after, name)) continue;
    after.global_indexes.push_back(*gone);
    after.attribute_definitions = before.attribute_definitions;
    after.status = TableStatus::Updating;
  }
}

}  // namespace tavola::engine
