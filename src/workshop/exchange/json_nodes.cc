#include "workshop/exchange/json_nodes.h"

#include <algorithm>
#include <optional>

#include "base/encoding.h"
#include "json/writer.h"
#include "workshop/exchange/draft.h"
#include "yaml/parse.h"

namespace tavola::workshop {

using yaml::Kind;
using yaml::Node;

namespace {

void append(json::Writer& json, const Node& node) {
  switch (node.kind) {
    case Kind::Null:
      json.raw() += "null";
      break;
    case Kind::Bool:
      json.boolean(node.boolean());
      break;
    case Kind::Number:
      json.raw() += node.text;
      break;
    case Kind::Text:
      json.text(node.text);
      break;
    case Kind::List:
      json.begin_list();
      for (const Node& item : node.items) append(json, item);
      json.end_list();
      break;
    case Kind::Map:
      json.begin_object();
      for (const yaml::Entry& entry : node.entries) append(json.name(entry.key.text), entry.value);
      json.end_object();
      break;
  }
}

std::optional<Value> value_of(const Node& node);

template <class T, class Read>
std::optional<Value> set_of(const Node& node, Read read) {
  std::vector<T> elements;
  for (const Node& item : node.items) {
    auto element = read(item.text);
    if (!element) return std::nullopt;
    elements.push_back(*std::move(element));
  }
  Result<Set<T>> set = Set<T>::of(std::move(elements));
  return set ? std::optional<Value>(*std::move(set)) : std::nullopt;
}

std::optional<Binary> binary_of(const std::string& text) {
  auto bytes = from_base64(text);
  return bytes ? std::optional(Binary{*std::move(bytes)}) : std::nullopt;
}

std::optional<Value> list_of(const Node& node) {
  List list;
  for (const Node& item : node.items) {
    auto value = value_of(item);
    if (!value) return std::nullopt;
    list.push_back(*std::move(value));
  }
  return list;
}

std::optional<Value> value_of(const Node& node) {
  if (node.kind != Kind::Map || node.entries.size() != 1) return std::nullopt;
  const std::string& type = node.entries.front().key.text;
  const Node& said = node.entries.front().value;
  if (type == "S") return Value(said.text);
  if (type == "N") {
    const Result<Number> number = Number::parse(said.text);
    return number ? std::optional<Value>(*number) : std::nullopt;
  }
  if (type == "BOOL" && said.kind == Kind::Bool) return Value(said.boolean());
  if (type == "NULL") return Value();
  if (type == "B") {
    auto binary = binary_of(said.text);
    return binary ? std::optional<Value>(*std::move(binary)) : std::nullopt;
  }
  if (type == "L") return list_of(said);
  if (type == "M") {
    auto map = item_of(said);
    return map ? std::optional<Value>(*std::move(map)) : std::nullopt;
  }
  if (type == "SS")
    return set_of<std::string>(said, [](const std::string& text) { return std::optional(text); });
  if (type == "NS") return set_of<Number>(said, [](const std::string& text) { return Number::parse(text); });
  if (type == "BS") return set_of<Binary>(said, binary_of);
  return std::nullopt;
}

}  // namespace

Result<Node> parse_tree(std::string_view text) {
  yaml::Document document = yaml::parse(text);
  if (document.problems.empty()) return std::move(document.root);
  const yaml::Problem& first = document.problems.front();
  return fail(Error::validation("line " + std::to_string(first.span.begin.line) + ", column " +
                                std::to_string(first.span.begin.column) + ": " + first.message));
}

std::string to_json(const Node& node) {
  std::string text;
  json::Writer json(text);
  append(json, node);
  return text;
}

std::string text_of(const Node& map, std::string_view key) {
  const Node* found = map.find(key);
  return found == nullptr || !found->is_scalar() ? std::string() : found->text;
}

const std::vector<Node>& items_of(const Node& map, std::string_view key) {
  static const std::vector<Node> none;
  const Node* found = map.find(key);
  return found == nullptr ? none : found->items;
}

bool is_true(const Node& map, std::string_view key) {
  const Node* found = map.find(key);
  return found != nullptr && found->kind == Kind::Bool && found->boolean();
}

Node without(const Node& map, const std::vector<std::string_view>& known) {
  Node rest = map_node(yaml::Style::Flow);
  for (const yaml::Entry& entry : map.entries) {
    if (std::ranges::find(known, entry.key.text) == known.end()) rest.entries.push_back(entry);
  }
  return rest;
}

void add_missing(Node& map, const Node* more) {
  if (more == nullptr) return;
  for (const yaml::Entry& entry : more->entries) {
    if (map.find(entry.key.text) == nullptr) map.entries.push_back(entry);
  }
}

std::optional<Item> item_of(const Node& node) {
  if (node.kind != Kind::Map) return std::nullopt;
  Item item;
  for (const yaml::Entry& entry : node.entries) {
    auto value = value_of(entry.value);
    if (!value) return std::nullopt;
    item.emplace(entry.key.text, *std::move(value));
  }
  return item;
}

Node item_node(const Item& item) { return yaml::parse(tavola::to_json(item)).root; }

}  // namespace tavola::workshop
