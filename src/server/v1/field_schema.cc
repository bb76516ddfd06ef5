#include "server/v1/field_schema.h"

#include <algorithm>

namespace tavola::server {
namespace {

using Kind = design::AttributeType::Kind;

struct JsonForm {
  std::string_view type{};
  std::string_view format{};
  std::string_view pattern{};
};

JsonForm form_of(Kind kind) {
  switch (kind) {
    case Kind::Number:
      return {.type = "number"};
    case Kind::Integer:
      return {.type = "integer"};
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return {.type = "integer", .format = "int64"};
    case Kind::Boolean:
      return {.type = "boolean"};
    case Kind::List:
    case Kind::Set:
      return {.type = "array"};
    case Kind::Map:
      return {.type = "object"};
    case Kind::Any:
      return {};
    case Kind::Uuid:
      return {.type = "string", .format = "uuid"};
    case Kind::Url:
      return {.type = "string", .format = "uri"};
    case Kind::Email:
      return {.type = "string", .format = "email"};
    case Kind::Date:
      return {.type = "string", .format = "date"};
    case Kind::TimestampIso:
      return {.type = "string", .format = "date-time"};
    case Kind::Sha256:
      return {.type = "string", .pattern = "^[0-9a-f]{64}$"};
    case Kind::Md5:
      return {.type = "string", .pattern = "^[0-9a-f]{32}$"};
    default:
      return {.type = "string"};  // a text, with or without bounds
  }
}

void write_number(json::Writer& json, std::string_view name, const std::optional<Number>& number) {
  if (number) json.name(name).raw() += number->to_string();
}

void write_count(json::Writer& json, std::string_view name, const std::optional<std::uint64_t>& count) {
  if (count) json.name(name).integer(static_cast<std::int64_t>(*count));
}

void write_elements(json::Writer& json, const design::Attribute& field) {
  json.name("items");
  design::Attribute element;
  element.type = field.type.element.front();
  element.of = field.of;
  element.values = field.values;
  write_schema(json, element);
  if (field.type.kind == Kind::Set) json.name("uniqueItems").boolean(true);
}

void write_bounds(json::Writer& json, const design::Attribute& field) {
  write_number(json, "minimum", field.min);
  write_number(json, "maximum", field.max);
  write_count(json, "minLength", field.min_length);
  write_count(json, "maxLength", field.max_length);
  write_count(json, "maxItems", field.max_items);
  if (!field.pattern.empty()) json.name("pattern").text("^(?:" + field.pattern.text() + ")$");
  if (field.values.empty() || !field.type.element.empty()) return;
  json.name("enum").begin_list();
  for (const std::string& value : field.values) json.text(value);
  json.end_list();
}

}  // namespace

void write_schema(json::Writer& json, const design::Attribute& field) {
  json.begin_object();
  const JsonForm form = form_of(field.type.kind);
  if (field.type.kind == Kind::Map && !field.of.empty()) {
    write_object_schema(json, field.of, Whole::Yes);
  } else if (!form.type.empty()) {
    json.name("type").text(form.type);
  }
  if (!form.format.empty()) json.name("format").text(form.format);
  if (!form.pattern.empty() && field.pattern.empty()) json.name("pattern").text(form.pattern);
  if (!field.type.element.empty()) write_elements(json, field);
  write_bounds(json, field);
  if (field.sensitive) json.name("x-sensitive").boolean(true);
  if (!field.notes.doc.empty()) json.name("description").text(field.notes.doc);
  json.end_object();
}

void write_object_schema(json::Writer& json, std::span<const design::Attribute> fields, Whole whole) {
  json.name("type").text("object");
  json.name("properties").begin_object();
  for (const design::Attribute& field : fields) {
    json.name(field.name);
    write_schema(json, field);
  }
  json.end_object();
  if (whole == Whole::No || !std::ranges::any_of(fields, &design::Attribute::required)) return;
  json.name("required").begin_list();
  for (const design::Attribute& field : fields) {
    if (field.required) json.text(field.name);
  }
  json.end_list();
}

}  // namespace tavola::server
