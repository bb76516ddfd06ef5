#include "design/items/table_schema.h"

#include <algorithm>

#include "base/joined.h"
#include "database/enum_names.h"

namespace tavola::design {
namespace {

std::vector<KeySchemaElement> key_schema(const KeyAttribute& hash, const std::optional<KeyAttribute>& range) {
  std::vector<KeySchemaElement> schema{{hash.name, KeyType::Hash}};
  if (range) schema.push_back({range->name, KeyType::Range});
  return schema;
}

void define(std::vector<AttributeDefinition>& definitions, const KeyAttribute& key) {
  if (std::ranges::find(definitions, key.name, &AttributeDefinition::name) == definitions.end()) {
    definitions.push_back({key.name, key.type});
  }
}

// ---- Differences ----

std::string key_text(const std::vector<KeySchemaElement>& schema) {
  return joined(schema, [](const KeySchemaElement& element) {
    return element.name + " " + std::string(enum_name(element.type));
  });
}

std::string projection_text(IndexProjection projection) {
  if (projection.type != ProjectionType::Include) return std::string(enum_name(projection.type));
  std::ranges::sort(projection.attributes);
  return joined(projection.attributes);
}

template <class Index>
void compare_indexes(const std::vector<Index>& wanted, const std::vector<Index>& found,
                     std::vector<std::string>& lines) {
  for (const Index& index : wanted) {
    const auto same = std::ranges::find(found, index.name, &Index::name);
    if (same == found.end()) {
      lines.push_back("index " + index.name + " is missing");
      continue;
    }
    if (same->key_schema != index.key_schema) {
      lines.push_back("index " + index.name + " has the keys " + key_text(same->key_schema) + ", not " +
                      key_text(index.key_schema));
    }
    if (projection_text(same->projection) != projection_text(index.projection)) {
      lines.push_back("index " + index.name + " projects " + projection_text(same->projection) + ", not " +
                      projection_text(index.projection));
    }
  }
  for (const Index& index : found) {
    if (std::ranges::find(wanted, index.name, &Index::name) == wanted.end()) {
      lines.push_back("index " + index.name + " is not in the design");
    }
  }
}

void compare_types(const CreateTableRequest& wanted, const TableDescription& found,
                   std::vector<std::string>& lines) {
  for (const AttributeDefinition& definition : wanted.attribute_definitions) {
    const auto same =
        std::ranges::find(found.attribute_definitions, definition.name, &AttributeDefinition::name);
    // An undefined attribute belongs to a key that differs, which is reported already.
    if (same == found.attribute_definitions.end() || same->type == definition.type) continue;
    lines.push_back("attribute " + definition.name + " has the type " + std::string(enum_name(same->type)) +
                    ", not " + std::string(enum_name(definition.type)));
  }
}

}  // namespace

CreateTableRequest table_schema(const Design& design) {
  const Table& table = design.table;
  CreateTableRequest request{.table_name = table.name,
                             .key_schema = key_schema(table.hash, table.range),
                             .billing_mode = table.billing};
  define(request.attribute_definitions, table.hash);
  if (table.range) define(request.attribute_definitions, *table.range);
  const bool is_provisioned = table.billing == BillingMode::Provisioned;
  if (is_provisioned) request.throughput = kFirstThroughput;
  for (const Index& index : design.indexes) {
    define(request.attribute_definitions, index.hash);
    if (index.range) define(request.attribute_definitions, *index.range);
    const auto keys = key_schema(index.hash, index.range);
    if (index.local) {
      request.local_indexes.push_back({index.name, keys, index.projection});
      continue;
    }
    GlobalIndex& global =
        request.global_indexes.emplace_back(GlobalIndex{index.name, keys, index.projection});
    if (is_provisioned) global.throughput = kFirstThroughput;
  }
  return request;
}

std::vector<KeySchemaElement> key_schema_of(const Design& design) {
  return key_schema(design.table.hash, design.table.range);
}

std::vector<std::string> differences(const CreateTableRequest& wanted, const TableDescription& found) {
  std::vector<std::string> lines;
  if (wanted.key_schema != found.key_schema) {
    lines.push_back("the table has the keys " + key_text(found.key_schema) + ", not " +
                    key_text(wanted.key_schema));
  }
  compare_types(wanted, found, lines);
  compare_indexes(wanted.global_indexes, found.global_indexes, lines);
  compare_indexes(wanted.local_indexes, found.local_indexes, lines);
  if (wanted.billing_mode != found.billing_mode) {
    lines.push_back("the billing mode is " + std::string(enum_name(found.billing_mode)) + ", not " +
                    std::string(enum_name(wanted.billing_mode)));
  }
  return lines;
}

}  // namespace tavola::design
