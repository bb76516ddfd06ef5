#include "wire/codec/json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <simdjson.h>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace tavola::wire {

using Element = simdjson::dom::element;

// A view contains a simdjson element, byte for byte.
struct JsonAccess {
  static JsonValue wrap(Element element) {
    static_assert(sizeof(Element) == sizeof(JsonValue) && std::is_trivially_copyable_v<Element>);
    JsonValue value;
    value.handle_ = std::bit_cast<std::array<std::byte, sizeof(Element)>>(element);
    return value;
  }
  static Element unwrap(const JsonValue& value) { return std::bit_cast<Element>(value.handle_); }
};

namespace {

using Parser = simdjson::dom::parser;

// A parser keeps its buffers for the next document of its thread, unless this one was unusually large.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;
thread_local std::unique_ptr<Parser> kept_parser;

// Takes back the parser of a document that is done.
void keep(std::unique_ptr<Parser> parser) {
  if (parser->capacity() <= kKeptBytesMax) kept_parser = std::move(parser);
}

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  std::unique_ptr<Parser> parser = std::move(kept_parser);
  if (parser == nullptr) parser = std::make_unique<Parser>();
  Element root;
  const simdjson::error_code error = parser->parse(text.data(), text.size()).get(root);
  // A parser that ran out of memory keeps buffers of different sizes and would write beyond the shorter ones: it is not kept.
  if (error == simdjson::MEMALLOC)
    return fail(Error::internal("There is not enough memory to read the request; try again."));
  if (error != simdjson::SUCCESS) {
    keep(std::move(parser));
    return fail(Error(ErrorCode::Serialization, ""));
  }
  return JsonDocument(JsonAccess::wrap(root), parser.release());
}

JsonDocument::~JsonDocument() {
  if (parser_ != nullptr) keep(std::unique_ptr<Parser>(static_cast<Parser*>(parser_)));
}

JsonType JsonValue::type() const {
  switch (JsonAccess::unwrap(*this).type()) {
    case simdjson::dom::element_type::ARRAY:
      return JsonType::List;
    case simdjson::dom::element_type::OBJECT:
      return JsonType::Object;
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
      return JsonType::Integer;
    case simdjson::dom::element_type::DOUBLE:
      return JsonType::Decimal;
    case simdjson::dom::element_type::STRING:
      return JsonType::String;
    case simdjson::dom::element_type::BOOL:
      return JsonType::Bool;
    case simdjson::dom::element_type::NULL_VALUE:
      break;
  }
  return JsonType::Null;
}

bool JsonValue::boolean() const { return JsonAccess::unwrap(*this).get_bool().value_unsafe(); }

std::string_view JsonValue::text() const { return JsonAccess::unwrap(*this).get_string().value_unsafe(); }

std::size_t JsonValue::size() const {
  const Element element = JsonAccess::unwrap(*this);
  return element.is_array() ? element.get_array().value_unsafe().size()
                            : element.get_object().value_unsafe().size();
}

std::vector<JsonValue> JsonValue::elements() const {
  const simdjson::dom::array array = JsonAccess::unwrap(*this).get_array().value_unsafe();
  std::vector<JsonValue> elements;
  elements.reserve(array.size());
  for (const Element element : array) elements.push_back(JsonAccess::wrap(element));
  return elements;
}

std::vector<std::pair<std::string_view, JsonValue>> JsonValue::members() const {
  const simdjson::dom::object object = JsonAccess::unwrap(*this).get_object().value_unsafe();
  std::vector<std::pair<std::string_view, JsonValue>> members;
  members.reserve(object.size());
  for (const auto& [name, value] : object) members.emplace_back(name, JsonAccess::wrap(value));
  return members;
}

std::vector<std::pair<std::string_view, JsonValue>> JsonValue::distinct_members() const {
  auto all = members();
  std::unordered_set<std::string_view> later;
  const auto comes_again = [&later](const auto& member) { return !later.insert(member.first).second; };
  std::ranges::reverse(all);
  std::erase_if(all, comes_again);
  std::ranges::reverse(all);
  return all;
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  const simdjson::dom::object object = JsonAccess::unwrap(*this).get_object().value_unsafe();
  std::optional<JsonValue> found;
  for (const auto& [key, value] : object) {
    if (key == name) found = JsonAccess::wrap(value);
  }
  return found;
}

std::int64_t JsonValue::integer() const {
  using Limits = std::numeric_limits<std::int64_t>;
  const Element element = JsonAccess::unwrap(*this);
  std::int64_t integer = 0;
  if (element.get(integer) == simdjson::SUCCESS) return integer;
  if (element.is_uint64()) return Limits::max();
  const double decimal = element.get_double().value_unsafe();
  if (decimal >= static_cast<double>(Limits::max())) return Limits::max();
  if (decimal <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<std::int64_t>(decimal);
}

std::string JsonValue::to_text() const { return simdjson::minify(JsonAccess::unwrap(*this)); }

}  // namespace tavola::wire
