#include "engine/tables.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "engine/messages.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

using Definitions = std::vector<AttributeDefinition>;
using KeySchema = std::vector<KeySchemaElement>;

template <class Range, class Name>
std::string bracketed(const Range& range, Name name) {
  std::string text = "[";
  for (const auto& element : range) {
    text += (text.size() > 1 ? ", " : "") + std::invoke(name, element);
  }
  return text + "]";
}

bool is_defined(const Definitions& definitions, std::string_view name) {
  return std::ranges::find(definitions, name, &AttributeDefinition::name) != definitions.end();
}

Result<void> check_definitions(const Definitions& definitions) {
  std::set<std::string_view> names;
  for (const AttributeDefinition& definition : definitions) {
    if (definition.type != Type::String && definition.type != Type::Number &&
        definition.type != Type::Binary) {
      return fail(Error::validation(
          "1 validation error detected: Value '" + std::string(type_name(definition.type)) +
          "' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: "
          "Member must satisfy enum value set: [B, N, S]"));
    }
    if (definition.name.empty() || definition.name.size() > limits::kKeyAttributeNameBytesMax) {
      return fail(Error::validation(
          "1 validation error detected: Value '" + definition.name +
          "' at 'attributeDefinitions.1.member.attributeName' failed to satisfy constraint: Member must have "
          "length " +
          (definition.name.empty() ? "greater than or equal to 1" : "less than or equal to 255")));
    }
    if (!names.insert(definition.name).second) {
      return fail(invalid_parameter("Duplicate AttributeName in AttributeDefinitions: " + definition.name));
    }
  }
  return {};
}

// What holds for every key: at least a hash, names defined and distinct, hash attributes before range
// attributes.
Result<void> check_key_schema(const KeySchema& key, const Definitions& definitions, std::size_t hash_max,
                              std::size_t range_max) {
  if (key.empty()) {
    return fail(
        Error::validation("1 validation error detected: Value '[]' at 'keySchema' failed to satisfy "
                          "constraint: Member must have "
                          "length greater than or equal to 1"));
  }
  if (!std::ranges::all_of(key, [&](const auto& element) { return is_defined(definitions, element.name); })) {
    return fail(
        invalid_parameter("Some index key attributes are not defined in AttributeDefinitions. Keys: " +
                          bracketed(key, &KeySchemaElement::name) +
                          ", AttributeDefinitions: " + bracketed(definitions, &AttributeDefinition::name)));
  }
  if (key.size() == 2 && key[0].name == key[1].name) {
    return fail(
        Error::validation("Both the Hash Key and the Range Key element in the KeySchema have the same name"));
  }
  std::set<std::string_view> names;
  for (const KeySchemaElement& element : key) {
    if (!names.insert(element.name).second) {
      return fail(invalid_parameter("Duplicate attribute in KeySchema: " + element.name));
    }
  }
  if (key[0].type != KeyType::Hash) {
    return fail(Error::validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"));
  }
  if (hash_max == 1 && key.size() > 1 && key[1].type != KeyType::Range) {
    return fail(Error::validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"));
  }
  const auto is_hash = [](const KeySchemaElement& element) { return element.type == KeyType::Hash; };
  if (!std::ranges::is_partitioned(key, is_hash)) {
    return fail(
        Error::validation("Invalid KeySchema: HASH key elements must come before RANGE key elements"));
  }
  const auto hashes = static_cast<std::size_t>(std::ranges::count_if(key, is_hash));
  if (hashes > hash_max || key.size() - hashes > range_max) {
    return fail(Error::validation("Invalid KeySchema: too many elements: at most " +
                                  std::to_string(hash_max) + " HASH and " + std::to_string(range_max) +
                                  " RANGE key elements are allowed"));
  }
  return {};
}

Result<void> check_projection(const IndexProjection& projection) {
  if (projection.type == ProjectionType::Include) {
    if (projection.attributes.empty()) {
      return fail(invalid_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"));
    }
    return {};
  }
  if (!projection.attributes.empty()) {
    return fail(invalid_parameter(std::string("ProjectionType is ") +
                                  (projection.type == ProjectionType::All ? "ALL" : "KEYS_ONLY") +
                                  ", but NonKeyAttributes is specified"));
  }
  return {};
}

// Names as tables have them: 3 to 255 of letters, digits, '_', '-' and '.'.
Result<void> check_index_name(const std::string& name) {
  const bool length_ok =
      name.size() >= limits::kTableNameCharsMin && name.size() <= limits::kTableNameCharsMax;
  const bool chars_ok = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; });
  if (length_ok && chars_ok) {
    return {};
  }
  const std::string words =
      !length_ok ? (name.size() < limits::kTableNameCharsMin ? "have length greater than or equal to 3"
                                                             : "have length less than or equal to 255")
                 : "satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
  return fail(Error::validation("1 validation error detected: Value '" + name +
                                "' at 'indexName' failed to satisfy constraint: Member must " + words));
}

Result<void> check_local_index(const LocalIndex& index, const CreateTableRequest& request) {
  TAVOLA_CHECK(check_index_name(index.name));
  TAVOLA_CHECK(check_key_schema(index.key_schema, request.attribute_definitions, 1, 1));
  if (index.key_schema.size() != 2) {
    return fail(invalid_parameter("Index KeySchema does not have a range key for index: " + index.name));
  }
  const std::string& table_hash = request.key_schema[0].name;
  if (index.key_schema[0].name != table_hash) {
    return fail(invalid_parameter(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: " +
        index.name + ". index hash key: " + index.key_schema[0].name + ", table hash key: " + table_hash));
  }
  return check_projection(index.projection);
}

Result<void> check_throughput(const std::optional<Throughput>& throughput) {
  if (!throughput || throughput->read_units < 1 || throughput->write_units < 1) {
    return fail(invalid_parameter(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"));
  }
  constexpr std::int64_t kUnitsMax = 1'000'000'000'000;
  for (const auto& [name, units] : {std::pair("ReadCapacityUnits", throughput->read_units),
                                    std::pair("WriteCapacityUnits", throughput->write_units)}) {
    if (units > kUnitsMax) {
      return fail(
          Error::validation("Given value " + std::to_string(units) + " for " + name + " is out of bounds"));
    }
  }
  return {};
}

Result<void> check_billing(BillingMode mode, const std::optional<Throughput>& throughput) {
  if (mode == BillingMode::Provisioned) {
    return check_throughput(throughput);
  }
  if (throughput) {
    return fail(
        invalid_parameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                          "BillingMode is PAY_PER_REQUEST"));
  }
  return {};
}

Result<void> check_global_index(const GlobalIndex& index, const CreateTableRequest& request) {
  TAVOLA_CHECK(check_index_name(index.name));
  TAVOLA_CHECK(check_key_schema(index.key_schema, request.attribute_definitions,
                                limits::kIndexHashAttributesMax, limits::kIndexRangeAttributesMax));
  TAVOLA_CHECK(check_projection(index.projection));
  if (request.billing_mode == BillingMode::PayPerRequest && index.throughput) {
    return fail(invalid_parameter("ProvisionedThroughput should not be specified for index: " + index.name +
                                  " when BillingMode is PAY_PER_REQUEST"));
  }
  if (request.billing_mode == BillingMode::Provisioned && !index.throughput) {
    return fail(invalid_parameter("ProvisionedThroughput must be specified for index: " + index.name));
  }
  return index.throughput ? check_throughput(index.throughput) : Result<void>();
}

Result<void> check_index_counts(const CreateTableRequest& request) {
  if (request.local_indexes.size() > limits::kLocalIndexesMax) {
    return fail(invalid_parameter("Number of LocalSecondaryIndexes exceeds per-table limit of 5"));
  }
  if (request.global_indexes.size() > limits::kGlobalIndexesMax) {
    return fail(invalid_parameter("GlobalSecondaryIndex count exceeds the per-table limit of 20"));
  }
  std::size_t included = 0;
  for (const LocalIndex& index : request.local_indexes) {
    included += index.projection.attributes.size();
  }
  for (const GlobalIndex& index : request.global_indexes) {
    included += index.projection.attributes.size();
  }
  if (included > limits::kProjectedAttributesMax) {
    return fail(
        invalid_parameter("Number of projected non-key attributes exceeds the per-table limit of 100"));
  }
  return {};
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
  for (const LocalIndex& index : request.local_indexes) {
    TAVOLA_CHECK(check_local_index(index, request));
    TAVOLA_CHECK(check_unique(index.name));
  }
  for (const GlobalIndex& index : request.global_indexes) {
    TAVOLA_CHECK(check_global_index(index, request));
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
  return fail(invalid_parameter(
      "Some AttributeDefinitions are not used. AttributeDefinitions: " +
      bracketed(request.attribute_definitions, &AttributeDefinition::name) +
      ", keys used: " + bracketed(used, [](std::string_view name) { return std::string(name); })));
}

}  // namespace

Result<void> check_table_name(std::string_view name) {
  if (name.size() < limits::kTableNameCharsMin || name.size() > limits::kTableNameCharsMax) {
    return fail(
        Error::validation("TableName must be at least 3 characters long and at most 255 characters long"));
  }
  const bool chars_ok = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; });
  if (!chars_ok) {
    return fail(
        Error::validation("1 validation error detected: Value '" + std::string(name) +
                          "' at 'tableName' failed to satisfy constraint: Member must satisfy regular "
                          "expression pattern: [a-zA-Z0-9_.-]+"));
  }
  return {};
}

Result<TableDescription> describe_new_table(const CreateTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_CHECK(check_billing(request.billing_mode, request.throughput));
  TAVOLA_CHECK(check_definitions(request.attribute_definitions));
  if (request.key_schema.size() > request.attribute_definitions.size()) {
    return fail(Error::validation("Invalid KeySchema: Some index key attribute have no definition"));
  }
  TAVOLA_CHECK(check_key_schema(request.key_schema, request.attribute_definitions, 1, 1));
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
  description.deletion_protection = request.deletion_protection;
  description.table_class = request.table_class;
  return description;
}

Result<void> apply_update(const UpdateTableRequest& request, TableDescription& description) {
  if (!request.billing_mode && !request.throughput && request.index_throughput.empty() &&
      !request.deletion_protection && !request.table_class) {
    return fail(
        Error::validation("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                          "GlobalSecondaryIndexUpdates or "
                          "SSESpecification or ReplicaUpdates is required"));
  }
  const BillingMode mode = request.billing_mode.value_or(description.billing_mode);
  if (mode == BillingMode::PayPerRequest) {
    TAVOLA_CHECK(check_billing(mode, request.throughput));
    description.throughput.reset();
    for (GlobalIndex& index : description.global_indexes) {
      index.throughput.reset();
    }
  } else if (request.throughput || description.billing_mode == BillingMode::PayPerRequest) {
    TAVOLA_CHECK(check_throughput(request.throughput));
    description.throughput = request.throughput;
  }
  for (const auto& [name, throughput] : request.index_throughput) {
    const auto index = std::ranges::find(description.global_indexes, name, &GlobalIndex::name);
    if (index == description.global_indexes.end()) {
      return fail(index_not_found(name));
    }
    if (mode == BillingMode::PayPerRequest) {
      return fail(invalid_parameter("ProvisionedThroughput should not be specified for index: " + name +
                                    " when BillingMode is PAY_PER_REQUEST"));
    }
    TAVOLA_CHECK(check_throughput(throughput));
    index->throughput = throughput;
  }
  description.billing_mode = mode;
  description.deletion_protection = request.deletion_protection.value_or(description.deletion_protection);
  description.table_class = request.table_class.value_or(description.table_class);
  return {};
}

}  // namespace tavola::engine
