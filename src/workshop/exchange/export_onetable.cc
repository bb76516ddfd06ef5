#include <algorithm>

#include "workshop/exchange/draft.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/onetable.h"
#include "workshop/texts/indented_json.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using design::Design;
using design::Entity;
using design::Placeholder;
using design::Template;
using yaml::Node;
using yaml::Style;

std::string value_template(const Template& from) {
  std::string text;
  for (const Template::Part& part : from.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      text += *literal;
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(part);
    text += "${" + placeholder.field;
    if (placeholder.format == Placeholder::Format::Padded)
      text += ":" + std::to_string(placeholder.width) + ":0";
    text += "}";
  }
  return text;
}

std::string_view type_of(const AttributeType& type) {
  using Kind = AttributeType::Kind;
  if (type.is_timestamp() || type.kind == Kind::Date) return "date";
  switch (stored_type(type).value_or(Type::String)) {
    case Type::Number:
      return "number";
    case Type::Bool:
      return "boolean";
    case Type::Binary:
      return "binary";
    case Type::List:
      return "array";
    case Type::Map:
      return "object";
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet:
      return "set";
    default:
      return "string";
  }
}

Node field_node(const Attribute& field) {
  Node node = map_node(Style::Flow);
  put_text(node, "type", type_of(field.type));
  if (field.required) put(node, "required", bool_node(true));
  if (!field.values.empty()) put(node, "enum", texts_node(field.values));
  if (field.otherwise) put(node, "default", value_node(*field.otherwise));
  if (field.unique) put(node, "unique", bool_node(true));
  if (field.generate == Attribute::Generate::Uuid) put_text(node, "generate", "uuid");
  if (field.generate == Attribute::Generate::Ulid) put_text(node, "generate", "ulid");
  if (field.value) put_text(node, "value", value_template(*field.value));
  if (!field.pattern.empty()) put_text(node, "validate", "/" + field.pattern.text() + "/");
  if (!field.type.element.empty()) {
    Node items = map_node(Style::Flow);
    put_text(items, "type", type_of(field.type.element.front()));
    put(node, "items", std::move(items));
  }
  if (!field.of.empty() && field.type.kind == AttributeType::Kind::Map) {
    Node schema = map_node(Style::Flow);
    for (const Attribute& part : field.of) put(schema, part.name, field_node(part));
    put(node, "schema", std::move(schema));
  }
  return node;
}

void put_key(Node& model, std::string_view attribute, const Template& from) {
  if (model.find(attribute) != nullptr) return;
  Node key = map_node(Style::Flow);
  put_text(key, "type", "string");
  put_text(key, "value", value_template(from));
  put(model, attribute, std::move(key));
}

Node model_node(const Design& design, const Entity& entity) {
  Node model = map_node(Style::Flow);
  put_key(model, design.table.hash.name, entity.hash);
  if (entity.range && design.table.range) put_key(model, design.table.range->name, *entity.range);
  for (const design::IndexEntry& entry : entity.indexes) {
    const design::Index* index = design.find_index(entry.index);
    const auto is_field = [&](const std::string& name) { return entity.find_field(name) != nullptr; };
    if (entry.hash.from && !is_field(index->hash.name)) put_key(model, index->hash.name, *entry.hash.from);
    if (index->range && entry.range && entry.range->from && !is_field(index->range->name)) {
      put_key(model, index->range->name, *entry.range->from);
    }
  }
  for (const Attribute& field : entity.fields) {
    if (field.name != design.table.entity_attribute && model.find(field.name) == nullptr) {
      put(model, field.name, field_node(field));
      if (field.name == design.table.ttl) put(model.entries.back().value, "ttl", bool_node(true));
    }
  }
  return model;
}

Node indexes_node(const Design& design) {
  Node indexes = map_node(Style::Flow);
  Node primary = map_node(Style::Flow);
  put_text(primary, "hash", design.table.hash.name);
  if (design.table.range) put_text(primary, "sort", design.table.range->name);
  put(indexes, "primary", std::move(primary));
  for (const design::Index& index : design.indexes) {
    Node node = map_node(Style::Flow);
    put_text(node, "hash", index.hash.name);
    if (index.range) put_text(node, "sort", index.range->name);
    if (index.projection.type == ProjectionType::All) put_text(node, "project", "all");
    if (index.projection.type == ProjectionType::KeysOnly) put_text(node, "project", "keys");
    if (index.projection.type == ProjectionType::Include)
      put(node, "project", texts_node(index.projection.attributes));
    if (index.local) put_text(node, "type", "local");
    put(indexes, index.name, std::move(node));
  }
  return indexes;
}

}  // namespace

std::string export_onetable(const Design& design) {
  Node schema = map_node(Style::Flow);
  put_text(schema, "format", "onetable:1.1.0");
  put_text(schema, "version", "0.0.1");
  put(schema, "indexes", indexes_node(design));
  Node models = map_node(Style::Flow);
  for (const Entity& entity : design.entities) put(models, entity.name, model_node(design, entity));
  put(schema, "models", std::move(models));
  Node params = map_node(Style::Flow);
  put(params, "isoDates", bool_node(true));
  put(params, "timestamps", bool_node(false));
  put_text(params, "typeField",
           design.table.entity_attribute.empty() ? "_type" : design.table.entity_attribute);
  put(schema, "params", std::move(params));
  return indented(to_json(schema));
}

}  // namespace tavola::workshop
