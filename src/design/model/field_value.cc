#include "design/model/field_value.h"

#include "base/encoding.h"
#include "design/model/plain_json.h"
#include "design/model/text_forms.h"
#include "design/model/timestamps.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// Returns the form of the one placeholder of `format`, which is a text.
FieldForms format_forms(const Attribute& field) {
  return [raw = field.raw](std::string_view) { return FieldForm{{Kind::String, {}}, raw}; };
}

// Returns the text as its type stores it; nullopt if it is not of the type, or the type has no form of its own.
std::optional<std::string> normal_text(const AttributeType& type, std::string_view text) {
  if (type.text == AttributeType::Text::Domain) return normal_domain(text);
  if (type.text == AttributeType::Text::Country) return normal_country(text);
  return std::nullopt;
}

// DE → COUNTRY#DE, and de, too, if it is a country. Returns an invalid value unchanged: why_not() reports it.
Value with_format(const Attribute& field, const AttributeType& type, const Value& given) {
  const FieldForms forms = format_forms(field);
  if (!given.is_string()) return given;
  const auto read = field.format ? field.format->read(given, forms) : std::nullopt;
  const std::string& text = read && !read->empty() ? read->begin()->second.string() : given.string();
  const auto normal = normal_text(type, text);
  if (read && (!normal || *normal == text)) return given;
  const Value value(normal.value_or(text));
  if (!field.format) return value;
  const std::vector<std::string> names = field.format->fields();
  if (names.size() != 1) return value;
  const auto completed = field.format->render({{names.front(), value}}, forms, Type::String);
  return completed ? completed->value_or(value) : value;
}

// Converts JSON to types that JSON lacks: bytes from base64, sets from lists. Returns a value of the wrong form
// unchanged: why_not() reports it.
Value shaped(const Attribute& field, const AttributeType& type, const Value& plain);

Value shaped_list(const Attribute& field, const AttributeType& element, const List& plain) {
  List list;
  for (const Value& value : plain) list.push_back(shaped(field, element, value));
  return list;
}

Value shaped_map(const Attribute& field, const Map& plain) {
  Map map = plain;
  for (const Attribute& member : field.of) {
    const auto found = map.find(member.name);
    if (found != map.end()) found->second = shaped(member, member.type, found->second);
  }
  return map;
}

template <class T>
Value shaped_set(const List& list) {
  std::vector<T> elements;
  for (const Value& value : list) {
    const T* const element = std::get_if<T>(&value.variant());
    if (element == nullptr) return list;
    elements.push_back(*element);
  }
  auto set = Set<T>::of(std::move(elements));
  return set ? Value(*std::move(set)) : Value(list);
}

Value shaped(const Attribute& field, const AttributeType& type, const Value& plain) {
  if (type.kind == Kind::Binary && plain.is_string()) {
    auto bytes = from_base64(plain.string());
    return bytes ? Value(Binary{*std::move(bytes)}) : plain;
  }
  if (type.is_timestamp()) return normal_time(type, plain);
  if (type.kind == Kind::Number && type.digits > 0 && plain.is_number())
    return plain.number().rounded(type.digits);
  if (type.kind == Kind::Map && plain.type() == Type::Map) return shaped_map(field, plain.map());
  if (plain.type() == Type::List && (type.kind == Kind::List || type.kind == Kind::Set)) {
    Value list = shaped_list(field, type.element.front(), plain.list());
    const auto stored = stored_type(type);
    if (stored == Type::StringSet) return shaped_set<std::string>(list.list());
    if (stored == Type::NumberSet) return shaped_set<Number>(list.list());
    if (stored == Type::BinarySet) return shaped_set<Binary>(list.list());
    return list;
  }
  return with_format(field, type, plain);
}

// Returns the value of a text for a field of that type; nullopt if it has none.
std::optional<Value> parse_text(const AttributeType& type, std::string_view text) {
  const auto stored = stored_type(type);
  if (stored == Type::String || stored == Type::Binary) return Value(text);
  if (stored == Type::Number) {
    const auto number = Number::parse(text);
    return number ? std::optional<Value>(*number) : std::nullopt;
  }
  auto plain = parse_plain_json(text);
  if (plain) return *std::move(plain);
  return stored ? std::nullopt : std::optional<Value>(text);  // any: a text that is not JSON stays a text
}

}  // namespace

Result<Value> from_plain(const Attribute& field, const Value& plain) {
  Value value = shaped(field, field.type, plain);
  if (auto why = why_not_named(field, value)) return fail(Error::validation(*std::move(why)));
  return value;
}

Result<Value> from_text(const Attribute& field, std::string_view text) {
  return from_plain(field, parse_text(field.type, text).value_or(Value(text)));
}

}  // namespace tavola::design
