#include "engine/catalog/tables.h"

#include <algorithm>
#include <set>

#include "base/joined.h"
#include "database/constraints.h"
#include "database/names.h"
#include "engine/checks/capacity_settings.h"
#include "engine/checks/member_checks.h"
#include "engine/checks/messages.h"
#include "value/attribute_name.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

using Definitions = std::vector<AttributeDefinition>;
using KeySchema = std::vector<KeySchemaElement>;

bool is_defined(const Definitions& definitions, std::string_view name) {
  return std::ranges::find(definitions, name, &AttributeDefinition::name) != definitions.end();
}

Result<void> check_key_name(const std::string& name, const std::string& member) {
  if (name.empty()) {
    return fail(broken_constraint(name, member, "have length greater than or equal to 1"));
  }
  if (name.size() > limits::kKeyAttributeNameBytesMax) {
    return fail(broken_constraint(name, member, "have length less than or equal to 255"));
  }
  return check_name_text(name);
}

}  // namespace

Result<void> check_definitions(const Definitions& definitions) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const AttributeDefinition& definition = definitions[i];
    const std::string member = "attributeDefinitions." + std::to_string(i + 1) + ".member.";
    TAVOLA_CHECK(check_key_name(definition.name, member + "attributeName"));
    if (!names.insert(definition.name).second) {
      return fail(Error::validation("Attribute Name is duplicated: " + definition.name));
    }
  }
  return {};
}

namespace {

// Maximum number of attributes of each kind in a key.
struct KeyLimits {
  std::size_t hash;
  std::size_t range;
};
constexpr KeyLimits kSimpleKey{1, 1};
constexpr KeyLimits kGlobalIndexKey{limits::kIndexHashAttributesMax, limits::kIndexRangeAttributesMax};

bool is_hash(const KeySchemaElement& element) { return element.type == KeyType::Hash; }

Result<void> check_key_length(const KeySchema& key, const std::string& member, KeyLimits most) {
  const std::string value = bracketed(key, [](const KeySchemaElement& element) {
    return "KeySchemaElement(attributeName=" + element.name +
           ", keyType=" + (is_hash(element) ? "HASH" : "RANGE") + ")";
  });
  if (key.empty()) {
    return fail(broken_constraint(value, member, "have length greater than or equal to 1"));
  }
  if (key.size() > most.hash + most.range) {
    return fail(broken_constraint(
        value, member, "have length less than or equal to " + std::to_string(most.hash + most.range)));
  }
  return {};
}

// Hash attributes precede range attributes, and there are not too many of either.
Result<void> check_key_order(const KeySchema& key, KeyLimits most) {
  if (!is_hash(key[0])) {
    return fail(Error::validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"));
  }
  if (most.hash == 1 && key.size() > 1 && is_hash(key[1])) {
    return fail(Error::validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"));
  }
  if (!std::ranges::is_partitioned(key, is_hash)) {
    return fail(
        invalid_parameter("All HASH key attributes must precede RANGE key attributes in the KeySchema"));
  }
  const auto hashes = static_cast<std::size_t>(std::ranges::count_if(key, is_hash));
  const bool too_many_hashes = hashes > most.hash;
  if (too_many_hashes || key.size() - hashes > most.range) {
    return fail(invalid_parameter(std::string("The KeySchema exceeds the maximum allowed number of ") +
                                  (too_many_hashes ? "HASH" : "RANGE") + " key attributes"));
  }
  return {};
}

// Checks that apply to every key. `member` is its position in the request.
Result<void> check_key_schema(const KeySchema& key, const Definitions& definitions, const std::string& member,
                              KeyLimits most) {
  TAVOLA_CHECK(check_key_length(key, member, most));
  if (!std::ranges::all_of(key, [&](const auto& element) { return is_defined(definitions, element.name); })) {
    return fail(
        invalid_parameter("Some index key attributes are not defined in AttributeDefinitions. Keys: " +
                          bracketed(key, &KeySchemaElement::name) +
                          ", AttributeDefinitions: " + bracketed(definitions, &AttributeDefinition::name)));
  }
  std::set<std::string_view> names;
  for (const KeySchemaElement& element : key) {
    if (!names.insert(element.name).second) {
      return fail(Error::validation(
          key.size() == 2 ? "Both the Hash Key and the Range Key element in the KeySchema have the same name"
                          : "The KeySchema contains multiple key attributes with the same name"));
    }
  }
  return check_key_order(key, most);
}

Result<void> check_projection(const IndexProjection& projection, const std::string& member) {
  if (projection.type != ProjectionType::Include) {
    if (projection.attributes.empty()) {
      return {};
    }
    return fail(invalid_parameter(std::string("ProjectionType is ") +
                                  (projection.type == ProjectionType::All ? "ALL" : "KEYS_ONLY") +
                                  ", but NonKeyAttributes is specified"));
  }
  if (projection.attributes.empty()) {
    return fail(invalid_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"));
  }
  const std::string attributes = member + ".projection.nonKeyAttributes";
  if (projection.attributes.size() > limits::kProjectedAttributesPerIndexMax) {
    return fail(broken_constraint(bracketed(projection.attributes), attributes,
                                  "have length less than or equal to 20"));
  }
  for (std::size_t i = 0; i < projection.attributes.size(); ++i) {
    TAVOLA_CHECK(
        check_key_name(projection.attributes[i], attributes + "." + std::to_string(i + 1) + ".member"));
  }
  std::set<std::string_view> names;
  for (const std::string& name : projection.attributes) {
    if (!names.insert(name).second) {
      return fail(invalid_parameter("Duplicate element in NonKeyAttributes: " + name));
    }
  }
  return {};
}

Result<void> check_name(std::string_view name, std::string_view member) {
  Constraints constraints;
  tavola::check_name(constraints, name, member);
  return constraints.check();
}

Result<void> check_local_index(const LocalIndex& index, const CreateTableRequest& request,
                               const std::string& member) {
  TAVOLA_CHECK(check_name(index.name, member + ".indexName"));
  TAVOLA_CHECK(
      check_key_schema(index.key_schema, request.attribute_definitions, member + ".keySchema", kSimpleKey));
  if (index.key_schema.size() != 2) {
    return fail(invalid_parameter("Index KeySchema does not have a range key for index: " + index.name));
  }
  const std::string& table_hash = request.key_schema[0].name;
  if (index.key_schema[0].name != table_hash) {
    return fail(invalid_parameter(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: " +
        index.name + ". index hash key: " + index.key_schema[0].name + ", table hash key: " + table_hash));
  }
  return check_projection(index.projection, member);
}

}  // namespace

Result<void> check_throughput(const Throughput& throughput, const std::string& whose) {
  constexpr std::int64_t kUnitsMax = 1'000'000'000'000;
  for (const auto& [name, units] : {std::pair("ReadCapacityUnits", throughput.read_units),
                                    std::pair("WriteCapacityUnits", throughput.write_units)}) {
    if (units > kUnitsMax) {
      return fail(Error::validation("Given value " + std::to_string(units) + " for " + name +
                                    " is out of bounds" + whose));
    }
  }
  return {};
}

Result<void> check_billing(BillingMode mode, const std::optional<Throughput>& throughput) {
  if (mode == BillingMode::Provisioned) {
    if (!throughput) {
      return fail(invalid_parameter(
          "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"));
    }
    return check_throughput(*throughput);
  }
  if (throughput) {
    return fail(
        invalid_parameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                          "BillingMode is PAY_PER_REQUEST"));
  }
  return {};
}

Result<void> check_index_shape(const GlobalIndex& index, const Definitions& definitions,
                               const std::string& member) {
  TAVOLA_CHECK(check_name(index.name, member + ".indexName"));
  TAVOLA_CHECK(check_key_schema(index.key_schema, definitions, member + ".keySchema", kGlobalIndexKey));
  return check_projection(index.projection, member);
}

Result<void> check_projected(const std::vector<LocalIndex>& local_indexes,
                             const std::vector<GlobalIndex>& global_indexes) {
  std::size_t included = 0;
  for (const LocalIndex& index : local_indexes) included += index.projection.attributes.size();
  for (const GlobalIndex& index : global_indexes) included += index.projection.attributes.size();
  if (included <= limits::kProjectedAttributesMax) return {};
  return fail(invalid_parameter("Number of projected non-key attributes exceeds the per-table limit of 100"));
}

namespace {

Result<void> check_index_billing(const GlobalIndex& index, BillingMode mode) {
  if (mode == BillingMode::Provisioned && !index.throughput) {
    return fail(invalid_parameter("ProvisionedThroughput is not specified for index: " + index.name));
  }
  if (mode == BillingMode::PayPerRequest && index.throughput) {
    return fail(invalid_parameter("ProvisionedThroughput should not be specified for index: " + index.name +
                                  " when BillingMode is PAY_PER_REQUEST"));
  }
  return index.throughput ? check_throughput(*index.throughput, " for index " + index.name) : Result<void>();
}

Result<void> check_global_index(const GlobalIndex& index, const CreateTableRequest& request,
                                const std::string& member) {
  TAVOLA_CHECK(check_index_shape(index, request.attribute_definitions, member));
  return check_index_billing(index, request.billing_mode);
}

Result<void> check_index_counts(const CreateTableRequest& request) {
  if (request.local_indexes.size() > limits::kLocalIndexesMax) {
    return fail(invalid_parameter("Number of LocalSecondaryIndexes exceeds per-table limit of 5"));
  }
  if (request.global_indexes.size() > limits::kGlobalIndexesMax) {
    return fail(invalid_parameter("GlobalSecondaryIndex count exceeds the per-table limit of 20"));
  }
  return check_projected(request.local_indexes, request.global_indexes);
}

Result<void> check_indexes(const CreateTableRequest& request) {
  std::set<std::string_view> names;
  const auto check_unique = [&names](const std::string& name) -> Result<void> {
    if (!names.insert(name).second) {
      return fail(invalid_parameter("Duplicate index name: " + name));
    }
    return {};
  };
  if (!request.local_indexes.empty() && request.key_schema.size() != 2) {
    return fail(
        invalid_parameter("Table KeySchema does not have a range key, which is required when specifying a "
                          "LocalSecondaryIndex"));
  }
  const auto member = [](std::string_view list, std::size_t i) {
    return std::string(list) + "." + std::to_string(i + 1) + ".member";
  };
  for (std::size_t i = 0; i < request.local_indexes.size(); ++i) {
    const LocalIndex& index = request.local_indexes[i];
    TAVOLA_CHECK(check_local_index(index, request, member("localSecondaryIndexes", i)));
    TAVOLA_CHECK(check_unique(index.name));
  }
  for (std::size_t i = 0; i < request.global_indexes.size(); ++i) {
    const GlobalIndex& index = request.global_indexes[i];
    TAVOLA_CHECK(check_global_index(index, request, member("globalSecondaryIndexes", i)));
    TAVOLA_CHECK(check_unique(index.name));
  }
  return check_index_counts(request);
}

// Every defined attribute must be a key of something.
Result<void> check_no_spare_definitions(const CreateTableRequest& request) {
  std::set<std::string_view> used;
  const auto collect = [&used](const KeySchema& key) {
    for (const KeySchemaElement& element : key) {
      used.insert(element.name);
    }
  };
  collect(request.key_schema);
  for (const LocalIndex& index : request.local_indexes) {
    collect(index.key_schema);
  }
  for (const GlobalIndex& index : request.global_indexes) {
    collect(index.key_schema);
  }
  if (used.size() == request.attribute_definitions.size()) {
    return {};
  }
  if (request.local_indexes.empty() && request.global_indexes.empty()) {
    return fail(invalid_parameter(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions"));
  }
  return fail(invalid_parameter("Some AttributeDefinitions are not used. AttributeDefinitions: " +
                                bracketed(request.attribute_definitions, &AttributeDefinition::name) +
                                ", keys used: " + bracketed(used)));
}

Result<void> check_new_capacity(TableDescription& table) {
  const CapacityOf whole{.mode = table.billing_mode, .throughput = table.throughput};
  TAVOLA_CHECK(check_new_limits(whole, table.on_demand_limits));
  TAVOLA_CHECK(check_new_warmth(whole, table.warm_throughput));
  for (GlobalIndex& index : table.global_indexes) {
    const CapacityOf part{.mode = table.billing_mode, .throughput = index.throughput, .index = index.name};
    TAVOLA_CHECK(check_new_limits(part, index.on_demand_limits));
    TAVOLA_CHECK(check_new_warmth(part, index.warm_throughput));
  }
  return {};
}

}  // namespace

Result<void> check_table_name(std::string_view name) { return check_name(name, "tableName"); }

Result<void> check_table_reference(std::string_view name) {
  if (name.empty()) return fail(empty_table_name());
  return check_table_name(name);
}

Result<TableDescription> describe_new_table(const CreateTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_CHECK(check_members(request));
  TAVOLA_CHECK(check_billing(request.billing_mode, request.throughput));
  TAVOLA_CHECK(check_definitions(request.attribute_definitions));
  TAVOLA_CHECK(check_key_length(request.key_schema, "keySchema", kSimpleKey));
  if (request.key_schema.size() > request.attribute_definitions.size()) {
    return fail(Error::validation("Invalid KeySchema: Some index key attribute have no definition"));
  }
  TAVOLA_CHECK(check_key_schema(request.key_schema, request.attribute_definitions, "keySchema", kSimpleKey));
  TAVOLA_CHECK(check_indexes(request));
  TAVOLA_CHECK(check_no_spare_definitions(request));
  TableDescription description;
  description.table_name = request.table_name;
  description.attribute_definitions = request.attribute_definitions;
  description.key_schema = request.key_schema;
  description.global_indexes = request.global_indexes;
  description.local_indexes = request.local_indexes;
  description.billing_mode = request.billing_mode;
  description.throughput = request.throughput;
  description.on_demand_limits = request.on_demand_limits;
  description.warm_throughput = request.warm_throughput;
  TAVOLA_CHECK(check_new_capacity(description));
  description.deletion_protection = request.deletion_protection;
  description.table_class = request.table_class;
  description.stream = request.stream;
  return description;
}

}  // namespace tavola::engine
