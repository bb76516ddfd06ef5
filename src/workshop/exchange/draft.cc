#include "workshop/exchange/draft.h"

#include <cctype>

#include "base/encoding.h"
#include "base/overloaded.h"
#include "workshop/texts/words.h"
#include "yaml/write.h"

namespace tavola::workshop {

using yaml::Kind;
using yaml::Node;
using yaml::Style;

namespace {

Node scalar_node(Kind kind, std::string_view text) {
  Node node;
  node.kind = kind;
  node.text = text;
  return node;
}

template <class Elements>
Node elements_node(const Elements& elements) {
  std::vector<Node> items;
  items.reserve(elements.size());
  for (const auto& element : elements) items.push_back(value_node(Value(element)));
  return list_node(std::move(items));
}

Node key_node(const DraftKey& key) {
  if (key.type == Type::String) return text_node(key.name);
  Node node = map_node(Style::Flow);
  put_text(node, "name", key.name);
  put_text(node, "type", key_type_name(key.type));
  return node;
}

Node table_node(const Draft& draft) {
  Node table = map_node(Style::Block);
  put_text(table, "name", draft.table);
  put_text(table, "name_var", draft.name_var);
  put(table, "hash", key_node(draft.hash));
  if (draft.range) put(table, "range", key_node(*draft.range));
  if (draft.billing) {
    put_text(table, "billing",
             *draft.billing == BillingMode::Provisioned ? "PROVISIONED" : "PAY_PER_REQUEST");
  }
  put_text(table, "entity_attribute", draft.entity_attribute);
  put_text(table, "ttl", draft.ttl);
  return table;
}

Node projection_node(const IndexProjection& projection) {
  switch (projection.type) {
    case ProjectionType::All:
      return text_node("all");
    case ProjectionType::KeysOnly:
      return text_node("keys");
    case ProjectionType::Include:
      return texts_node(projection.attributes);
  }
  return text_node("all");
}

Node index_node(const DraftIndex& index) {
  Node node = map_node(Style::Flow);
  put(node, "hash", key_node(index.hash));
  if (index.range) put(node, "range", key_node(*index.range));
  put(node, "project", projection_node(index.projection));
  if (index.local) put(node, "local", bool_node(true));
  return node;
}

Node fields_node(const std::vector<DraftField>& fields) {
  Node node = map_node(Style::Block);
  for (const DraftField& field : fields) {
    // `name: string` is short for `name: { type: string }`.
    const bool is_short = field.said.entries.size() == 1 && field.said.entries.front().key.text == "type";
    put(node, field.name, is_short ? field.said.entries.front().value : field.said);
  }
  return node;
}

Node lifecycles_node(const DraftEntity& entity) {
  Node node = map_node(Style::Block);
  for (const DraftLifecycle& lifecycle : entity.lifecycles) {
    Node said = map_node(Style::Block);
    put_text(said, "in", lifecycle.in);
    Node states = map_node(Style::Block);
    for (const DraftState& state : lifecycle.states) {
      Node key = map_node(Style::Flow);
      put_text(key, "key", state.key);
      put(states, state.name, std::move(key));
    }
    put(said, "states", std::move(states));
    put(node, lifecycle.name, std::move(said));
  }
  return node;
}

Node entity_node(const Draft& draft, const DraftEntity& entity) {
  Node node = map_node(Style::Block);
  put_text(node, "doc", entity.doc);
  Node key = map_node(Style::Flow);
  put_text(key, draft.hash.name, entity.hash);
  if (draft.range) put_text(key, draft.range->name, entity.range);
  put(node, "key", std::move(key));
  if (!entity.indexes.empty()) {
    Node indexes = map_node(Style::Block);
    for (const DraftEntry& entry : entity.indexes) {
      Node said = map_node(Style::Flow);
      put_text(said, "hash", entry.hash);
      put_text(said, "range", entry.range);
      put_text(said, "when", entry.when);
      put(indexes, entry.index, std::move(said));
    }
    put(node, "index", std::move(indexes));
  }
  if (!entity.ids.empty()) put(node, "ids", fields_node(entity.ids));
  if (!entity.attributes.empty()) put(node, "attributes", fields_node(entity.attributes));
  if (!entity.lifecycles.empty()) put(node, "lifecycles", lifecycles_node(entity));
  if (!entity.examples.empty()) {
    Node examples;
    examples.kind = Kind::List;
    examples.style = Style::Block;
    for (const Item& example : entity.examples) {
      Node item = value_node(example);
      item.style = Style::Block;
      examples.items.push_back(std::move(item));
    }
    put(node, "examples", std::move(examples));
  }
  return node;
}

}  // namespace

Node text_node(std::string_view text) { return scalar_node(Kind::Text, text); }
Node number_node(std::string_view number) { return scalar_node(Kind::Number, number); }
Node bool_node(bool value) { return scalar_node(Kind::Bool, value ? "true" : "false"); }

Node list_node(std::vector<Node> items) {
  Node node;
  node.kind = Kind::List;
  node.style = Style::Flow;
  node.items = std::move(items);
  return node;
}

Node texts_node(const std::vector<std::string>& texts) {
  std::vector<Node> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(text_node(text));
  return list_node(std::move(items));
}

Node map_node(Style style) {
  Node node;
  node.kind = Kind::Map;
  node.style = style;
  return node;
}

void put(Node& map, std::string_view key, Node value) {
  map.entries.push_back({.key = text_node(key), .value = std::move(value)});
}

void put_text(Node& map, std::string_view key, std::string_view text) {
  if (!text.empty()) put(map, key, text_node(text));
}

Node value_node(const Value& value) {
  return std::visit(Overloaded{
                        [](Null) { return scalar_node(Kind::Null, ""); },
                        [](bool truth) { return bool_node(truth); },
                        [](const Number& number) { return number_node(number.to_string()); },
                        [](const std::string& text) { return text_node(text); },
                        [](const Binary& binary) { return text_node(to_base64(binary.bytes)); },
                        [](const Map& map) {
                          Node node = map_node(Style::Flow);
                          for (const auto& [name, part] : map) put(node, name, value_node(part));
                          return node;
                        },
                        [](const auto& elements) { return elements_node(elements); },
                    },
                    value.variant());
}

std::string left_out_comment(const std::string& index) {
  return "# The index " + index +
         " was left out: its keys have several attributes, and a design has one for each key.";
}

DraftEntity unknown_entity(const Draft& draft) {
  DraftEntity entity;
  entity.name = "Item";
  entity.comments = {"# Only the keys of the items are known: one entity stands for all of them."};
  const auto whole = [&](const DraftKey& key) {
    DraftField id{.name = "key" + type_case(key.name)};
    put_text(id.said, "type", key_type_name(key.type));
    if (key.type == Type::String) put(id.said, "raw", bool_node(true));
    entity.ids.push_back(id);
    return "<" + id.name + (key.type == Type::Number ? ":number>" : ">");
  };
  entity.hash = whole(draft.hash);
  if (draft.range) entity.range = whole(*draft.range);
  if (!draft.ttl.empty()) {
    entity.attributes.push_back({.name = draft.ttl});
    put_text(entity.attributes.back().said, "type", "timestamp(epoch_s)");
  }
  return entity;
}

std::string write(const Draft& draft) {
  yaml::Document document;
  Node& root = document.root;
  root = map_node(Style::Block);
  put(root, "design", number_node("1"));
  root.entries.front().key.comments_above = draft.comments;
  put_text(root, "name", draft.name);
  put_text(root, "doc", draft.doc);
  put(root, "table", table_node(draft));
  if (!draft.indexes.empty()) {
    Node indexes = map_node(Style::Block);
    for (const DraftIndex& index : draft.indexes) put(indexes, index.name, index_node(index));
    put(root, "indexes", std::move(indexes));
  }
  Node entities = map_node(Style::Block);
  Node patterns = map_node(Style::Block);
  for (const DraftEntity& entity : draft.entities) {
    put(entities, entity.name, entity_node(draft, entity));
    entities.entries.back().key.comments_above = entity.comments;
    Node get = map_node(Style::Flow);
    put_text(get, "get", entity.name);
    put(patterns, "get" + entity.name, std::move(get));
  }
  for (const DraftPattern& pattern : draft.patterns) {
    std::string name = pattern.name;
    for (int i = 2; patterns.find(name) != nullptr; ++i) name = pattern.name + std::to_string(i);
    put(patterns, name, pattern.said);
  }
  put(root, "entities", std::move(entities));
  put(root, "patterns", std::move(patterns));
  if (!draft.operations.empty()) {
    put(root, "operations", map_node(Style::Block));
    for (const DraftPattern& one : draft.operations) put(root.entries.back().value, one.name, one.said);
  }
  for (yaml::Entry& entry : root.entries) {
    if (entry.value.kind != Kind::Map) continue;
    std::vector<std::string>& above = entry.key.comments_above;
    above.emplace_back();  // an empty line
    const auto said = draft.section_comments.find(entry.key.text);
    if (said != draft.section_comments.end())
      above.insert(above.end(), said->second.begin(), said->second.end());
  }
  document.comments_end = draft.comments_end;
  return yaml::write(document);
}

std::vector<std::string> placeholders(std::string_view written) {
  std::vector<std::string> names;
  for (std::size_t at = written.find('<'); at != std::string_view::npos; at = written.find('<', at + 1)) {
    const std::size_t end = written.find('>', at);
    if (end == std::string_view::npos) break;
    const std::string_view inside = written.substr(at + 1, end - at - 1);
    names.emplace_back(inside.substr(0, inside.find(':')));
  }
  return names;
}

std::string type_case(std::string_view words) {
  std::string name;
  for (std::string& word : words_of(words)) {
    word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
    name += word;
  }
  return name;
}

std::string field_case(std::string_view words) {
  std::string name = type_case(words);
  if (!name.empty()) name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return name;
}

std::string key_type_name(Type type) {
  return type == Type::Number ? "number" : type == Type::Binary ? "binary" : "string";
}

}  // namespace tavola::workshop
