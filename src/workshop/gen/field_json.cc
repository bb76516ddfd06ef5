#include "workshop/gen/field_json.h"

#include <cstdint>

#include "design/model/plain_json.h"

namespace tavola::workshop {
namespace {

using design::Assignment;
using design::Attribute;
using design::Parameter;
using json::Writer;

void write_bounds(Writer& json, const Attribute& field) {
  if (!field.values.empty()) write_texts(json, "values", field.values);
  if (field.min) json.name("min").text(field.min->to_string());
  if (field.max) json.name("max").text(field.max->to_string());
  const auto count = [&json](std::string_view name, const std::optional<std::uint64_t>& number) {
    if (number) json.name(name).integer(static_cast<std::int64_t>(*number));
  };
  count("min_length", field.min_length);
  count("max_length", field.max_length);
  count("max_items", field.max_items);
  if (!field.pattern.empty()) json.name("pattern").text(field.pattern.text());
  if (!field.format) return;
  std::string before;
  std::string after;
  bool is_behind = false;
  for (const design::Template::Part& part : field.format->parts()) {
    const auto* const literal = std::get_if<std::string>(&part);
    is_behind = is_behind || literal == nullptr;
    if (literal != nullptr) (is_behind ? after : before) += *literal;
  }
  write_texts(json, "format", {before, after});
}

void write_fields(Writer& json, std::string_view name, const std::vector<Attribute>& fields) {
  json.name(name).begin_object();
  for (const Attribute& field : fields) {
    json.name(field.name).begin_object();
    write_form(json, field);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string_view type_letter(Type type) {
  return type == Type::Number ? "N" : type == Type::Binary ? "B" : "S";
}

bool counts_seconds(const Attribute* field) {
  return field != nullptr && field->type.kind == design::AttributeType::Kind::TimestampS;
}

void write_texts(Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.name(name).begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_form(Writer& json, const Attribute& field) {
  json.name("type").text(design::type_text(field.type));
  if (!field.of.empty()) write_fields(json, "of", field.of);
  if (field.required) json.name("required").boolean(true);
  if (field.otherwise) design::write_plain(json.name("default"), *field.otherwise);
  if (field.sensitive) json.name("sensitive").boolean(true);
  write_bounds(json, field);
}

void write_parameters(Writer& json, const std::vector<Parameter>& parameters) {
  json.name("params").begin_object();
  for (const Parameter& parameter : parameters) {
    Attribute form = parameter.form;
    form.required = parameter.required && !parameter.otherwise;
    form.otherwise.reset();
    if (parameter.may_be_day) {  // then a day may stand for a time, and the key decides
      form = Attribute{};
      form.required = parameter.required && !parameter.otherwise;
    }
    json.name(parameter.name).begin_object();
    write_form(json, form);
    if (parameter.otherwise && parameter.may_be_day && parameter.otherwise->gives_moment()) {
      json.name("rule").begin_list();
      json.text("call");
      json.text("iso");
      write_value(json, {*parameter.otherwise}, {});
      json.begin_list();
      json.text("value");
      json.integer(parameter.form.type.digits);
      json.end_list();
      json.end_list();
    } else if (parameter.otherwise) {
      write_value(json.name("rule"), {*parameter.otherwise}, {});
    }
    json.end_object();
  }
  json.end_object();
}

void write_assignments(Writer& json, const std::vector<Assignment>& all, const TreeScope& scope) {
  json.begin_object();
  for (const Assignment& one : all) write_value(json.name(one.field), {one.value}, scope);
  json.end_object();
}

}  // namespace tavola::workshop
