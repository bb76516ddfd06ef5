#include "design/model/plain_json.h"

#include <memory>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/overloaded.h"
#include "design/model/bad_parameter.h"
#include "json/reader.h"

namespace tavola::design {
namespace {

// ---- Writing

void write_list(json::Writer& json, const auto& elements) {
  json.begin_list();
  for (const auto& element : elements) write_plain(json, Value(element));
  json.end_list();
}

void write_map(json::Writer& json, const Map& map) {
  json.begin_object();
  for (const auto& [name, value] : map) write_plain(json.name(name), value);
  json.end_object();
}

// ---- Reading

constexpr int kDepthMax = 63;  // of lists and objects inside the outermost one

Result<Number> number_in(const json::Node& node, const std::string& member) {
  Result<Number> number = Number::parse(node.text);
  if (number || member.empty()) return number;
  return fail(Error(ErrorCode::Validation, member + ": " + number.error().message(),
                    std::make_shared<BadParameter>(member)));
}

// `member` names the member of the outermost object, which holds the parameters of a call.
Result<Value> value_of(json::Node node, const std::string& member) {
  using NodeKind = json::Node::Kind;
  switch (node.kind) {
    case NodeKind::Null:
      return Value();
    case NodeKind::Boolean:
      return Value(node.text == "true");
    case NodeKind::Number: {
      TAVOLA_TRY(const Number number, number_in(node, member));
      return Value(number);
    }
    case NodeKind::Text:
      return Value(std::move(node.text));
    case NodeKind::List: {
      List list;
      for (json::Node& element : node.elements) {
        TAVOLA_TRY(Value value, value_of(std::move(element), member));
        list.push_back(std::move(value));
      }
      return Value(std::move(list));
    }
    case NodeKind::Object: {
      Map map;
      for (auto& [name, element] : node.members) {
        TAVOLA_TRY(Value value, value_of(std::move(element), member.empty() ? name : member));
        map.emplace(std::move(name), std::move(value));
      }
      return Value(std::move(map));
    }
  }
  TAVOLA_ASSERT(false);  // a node has one of six kinds
  return Value();
}

}  // namespace

void write_plain(json::Writer& json, const Value& value) {
  std::visit(Overloaded{
                 [&](Null) { json.raw() += "null"; },
                 [&](bool truth) { json.boolean(truth); },
                 [&](const Number& number) { number.append_to(json.raw()); },
                 [&](const std::string& text) { json.text(text); },
                 [&](const Binary& binary) { json.text(to_base64(binary.bytes)); },
                 [&](const Map& map) { write_map(json, map); },
                 [&](const auto& elements) { write_list(json, elements); },
             },
             value.variant());
}

std::string to_plain_json(const Value& value) {
  std::string out;
  json::Writer json(out);
  write_plain(json, value);
  return out;
}

std::string to_plain_json(const Item& item) {
  std::string out;
  json::Writer json(out);
  write_map(json, item);
  return out;
}

Result<Value> parse_plain_json(std::string_view text) {
  std::expected<json::Node, json::Problem> node = json::parse(text, kDepthMax);
  if (!node) {
    return fail(
        Error::validation("no JSON (byte " + std::to_string(node.error().at) + "): " + node.error().what));
  }
  return value_of(*std::move(node), "");
}

}  // namespace tavola::design
