#include <algorithm>
#include <map>

#include "design/items/entity_item.h"
#include "workshop/exchange/draft.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/workbench.h"
#include "workshop/texts/indented_json.h"
#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using yaml::Node;
using yaml::Style;

Node key_node(const design::KeyAttribute& key) {
  Node node = map_node(Style::Flow);
  put_text(node, "AttributeName", key.name);
  put_text(node, "AttributeType", type_name(key.type));
  return node;
}

template <class KeyHolder>
Node keys_node(const KeyHolder& holder) {
  Node keys = map_node(Style::Flow);
  put(keys, "PartitionKey", key_node(holder.hash));
  if (holder.range) put(keys, "SortKey", key_node(*holder.range));
  return keys;
}

Node index_node(const design::Index& index) {
  Node node = map_node(Style::Flow);
  put_text(node, "IndexName", index.name);
  put(node, "KeyAttributes", keys_node(index));
  Node projection = map_node(Style::Flow);
  const ProjectionType type = index.projection.type;
  put_text(projection, "ProjectionType",
           type == ProjectionType::KeysOnly  ? "KEYS_ONLY"
           : type == ProjectionType::Include ? "INCLUDE"
                                             : "ALL");
  if (type == ProjectionType::Include)
    put(projection, "NonKeyAttributes", texts_node(index.projection.attributes));
  put(node, "Projection", std::move(projection));
  return node;
}

// Returns the properties that import left in a comment, or an empty node.
Node remembered(std::string_view text) {
  constexpr std::string_view kMark = "# workbench: ";
  const yaml::Document document = yaml::parse(text);
  for (const std::string& line : document.comments_end) {
    if (!line.starts_with(kMark)) continue;
    if (Result<Node> rest = parse_tree(std::string_view(line).substr(kMark.size()))) return *std::move(rest);
  }
  return map_node(Style::Flow);
}

const Node* found(const Node& map, std::string_view key, std::string_view inner) {
  const Node* outer = map.find(key);
  return outer == nullptr ? nullptr : outer->find(inner);
}

// Returns the attributes of all entities, and the index keys, once each with their type.
Node attributes_node(const Design& design) {
  std::vector<std::pair<std::string, std::string>> types;
  const auto add = [&](const std::string& name, std::string_view type) {
    const bool is_key =
        name == design.table.hash.name || (design.table.range && name == design.table.range->name);
    const bool known = std::ranges::any_of(types, [&](const auto& type_of) { return type_of.first == name; });
    if (!is_key && !known) types.emplace_back(name, type);
  };
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      if (field.stored) add(field.name, type_name(design::stored_type(field.type).value_or(Type::String)));
    }
  }
  for (const design::Index& index : design.indexes) {
    add(index.hash.name, type_name(index.hash.type));
    if (index.range) add(index.range->name, type_name(index.range->type));
  }
  std::vector<Node> nodes;
  for (const auto& [name, type] : types) {
    nodes.push_back(map_node(Style::Flow));
    put_text(nodes.back(), "AttributeName", name);
    put_text(nodes.back(), "AttributeType", type);
  }
  return list_node(std::move(nodes));
}

Node facet_node(const Design& design, const Entity& entity, const Node* rest, std::vector<Node> items) {
  Node facet = map_node(Style::Flow);
  put_text(facet, "FacetName", rest == nullptr ? entity.name : text_of(*rest, "FacetName"));
  Node alias = map_node(Style::Flow);
  put_text(alias, "PartitionKeyAlias", entity.hash.text());
  if (entity.range) put_text(alias, "SortKeyAlias", entity.range->text());
  const Node* kept = rest == nullptr ? nullptr : rest->find("KeyAttributeAlias");
  if (rest == nullptr || kept != nullptr) put(facet, "KeyAttributeAlias", kept == nullptr ? alias : *kept);
  std::vector<std::string> names;
  for (const Attribute& field : entity.fields) {
    if (field.stored) names.push_back(field.name);
  }
  for (const design::IndexEntry& entry : entity.indexes) {
    const design::Index* index = design.find_index(entry.index);
    for (const std::string& key : {index->hash.name, index->range ? index->range->name : std::string()}) {
      if (!key.empty() && std::ranges::find(names, key) == names.end()) names.push_back(key);
    }
  }
  put(facet, "NonKeyAttributes", texts_node(names));
  if (!items.empty() || (rest != nullptr && rest->find("TableData") != nullptr)) {
    put(facet, "TableData", list_node(std::move(items)));
  }
  add_missing(facet, rest);
  if (rest == nullptr) {
    put(facet, "DataAccess", [] {
      Node access = map_node(Style::Flow);
      put(access, "MySql", map_node(Style::Flow));
      return access;
    }());
  }
  return facet;
}

// Returns sample data by entity; items of no entity are under null.
Result<std::map<const Entity*, std::vector<Node>>> sample_items(const Design& design,
                                                                const std::vector<Item>& items,
                                                                const Node& rest) {
  std::map<const Entity*, std::vector<Node>> placed;
  for (const Item& item : items) placed[design::decode(design, item).entity].push_back(item_node(item));
  if (!items.empty()) return placed;
  for (const Entity& entity : design.entities) {
    for (const design::Example& example : entity.examples) {
      Item fields = design::decode(design, example.item).fields;
      for (const auto& [lifecycle, state] : example.states) fields.insert_or_assign(lifecycle, state);
      TAVOLA_TRY(const Item item, design::to_item(design, entity, fields));
      placed[&entity].push_back(item_node(item));
    }
  }
  for (const Node& item : items_of(rest, "items")) placed[nullptr].push_back(item);
  return placed;
}

Node new_model(const Design& design) {
  Node model = map_node(Style::Flow);
  put_text(model, "ModelName", design.name);
  Node about = map_node(Style::Flow);
  put(about, "Author", text_node(""));
  put(about, "DateCreated", text_node(""));
  put(about, "DateLastModified", text_node(""));
  put(about, "Description", text_node(design.notes.doc));
  put_text(about, "AWSService", "Amazon DynamoDB");
  put_text(about, "Version", "3.0");
  put(model, "ModelMetadata", std::move(about));
  return model;
}

}  // namespace

Result<std::string> export_workbench(const Design& design, std::string_view text,
                                     const std::vector<Item>& items) {
  const Node rest = remembered(text);
  TAVOLA_TRY(auto placed, sample_items(design, items, rest));
  const Node* of_table = rest.find("table");

  Node table = map_node(Style::Flow);
  put_text(table, "TableName", design.table.name);
  put(table, "KeyAttributes", keys_node(design.table));
  if (of_table == nullptr || of_table->find("NonKeyAttributes") == nullptr) {
    put(table, "NonKeyAttributes", attributes_node(design));
  }
  const bool in_facets = of_table == nullptr;
  std::vector<Node> at_table = std::move(placed[nullptr]);
  std::vector<Node> facets;
  for (const Entity& entity : design.entities) {
    const Node* of_facet = found(rest, "facets", entity.name);
    const bool here = in_facets || (of_facet != nullptr && of_facet->find("TableData") != nullptr);
    std::vector<Node> own = std::move(placed[&entity]);
    if (!here) std::ranges::move(own, std::back_inserter(at_table));
    facets.push_back(facet_node(design, entity, of_facet, here ? std::move(own) : std::vector<Node>{}));
  }
  if (!is_true(rest, "no_facets")) put(table, "TableFacets", list_node(std::move(facets)));
  std::vector<Node> indexes;
  for (const design::Index& index : design.indexes) {
    if (index.local) continue;
    indexes.push_back(index_node(index));
    add_missing(indexes.back(), found(rest, "indexes", index.name));
  }
  if (!indexes.empty()) put(table, "GlobalSecondaryIndexes", list_node(std::move(indexes)));
  if (!at_table.empty()) put(table, "TableData", list_node(std::move(at_table)));
  if (!is_true(rest, "no_billing")) {
    put_text(table, "BillingMode",
             design.table.billing == BillingMode::Provisioned ? "PROVISIONED" : "PAY_PER_REQUEST");
  }
  add_missing(table, of_table);

  const Node* of_model = rest.find("model");
  Node model = of_model == nullptr ? new_model(design) : *of_model;
  put(model, "DataModel", list_node({std::move(table)}));
  return indented(to_json(model));
}

}  // namespace tavola::workshop
