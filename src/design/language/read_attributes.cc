#include <algorithm>

#include "design/language/reading.h"
#include "design/model/field_value.h"

namespace tavola::design {
namespace {

using yaml::Node;

Attribute::Auto read_auto(const std::string& word) {
  if (word == "create") return Attribute::Auto::Create;
  if (word == "update") return Attribute::Auto::Update;
  return word == "transition" ? Attribute::Auto::Transition : Attribute::Auto::No;
}

Attribute::Generate read_generate(const Node& node) {
  const std::vector<std::string> words = texts_at(node, "generate");
  if (words.empty()) return Attribute::Generate::No;
  return words.front() == "ulid" ? Attribute::Generate::Ulid : Attribute::Generate::Uuid;
}

std::optional<Unique> read_unique(const Node& node) {
  const Node* said = node.find("unique");
  if (said == nullptr || (said->is_scalar() && !said->boolean())) return std::nullopt;
  Unique unique;
  for (const Word& field : words_at(*said, "within")) {
    unique.within.push_back(field.text);
    unique.within_at.push_back(field.at);
  }
  if (const Node* otherwise = said->find("otherwise")) unique.otherwise = otherwise->text;
  return unique;
}

void read_bounds(const Node& node, Attribute& attribute) {
  attribute.values = texts_at(node, "values");
  attribute.suggest = texts_at(node, "suggest");
  attribute.min = number_at(node, "min");
  attribute.max = number_at(node, "max");
  attribute.min_length = count_at(node, "min_length");
  attribute.max_length = count_at(node, "max_length");
  attribute.max_items = count_at(node, "max_items");
  attribute.pattern = text_at(node, "pattern");
  attribute.raw = flag_at(node, "raw");
  attribute.sensitive = flag_at(node, "sensitive");
  attribute.low_cardinality = text_at(node, "cardinality") == "low";
}

// The parts of a sensitive value are sensitive.
void hide_parts(Attribute& attribute) {
  for (Attribute& part : attribute.of) {
    part.sensitive = true;
    hide_parts(part);
  }
}

// `of` is a map of fields, or for a hash the list of its parts.
void read_parts(const Node& node, Attribute& attribute, Problems& problems) {
  const Node* of = node.find("of");
  if (of == nullptr) return;
  for (const yaml::Entry& entry : of->entries) attribute.of.push_back(read_attribute(entry, problems));
  attribute.hash_of = texts_at(node, "of");
  if (attribute.sensitive) hide_parts(attribute);
}

std::optional<Template> template_at(const Node& node, std::string_view key, Attribute& attribute,
                                    Problems& problems) {
  const Node* said = node.find(key);
  if (said == nullptr) return std::nullopt;
  attribute.value_at = said->span;
  return read_template(*said, problems);
}

}  // namespace

Attribute as_once_checked(Attribute field) {
  field.pattern = {};
  field.permits.clear();
  for (Attribute& part : field.of) part = as_once_checked(std::move(part));
  return field;
}

std::optional<Value> read_value(const Node& node, const Attribute& field, Problems& problems) {
  Result<Value> value = problems.is_stored() ? from_plain(as_once_checked(field), plain_value(node))
                                             : from_plain(field, plain_value(node));
  if (value) return *std::move(value);
  problems.error("bad-value", node.span, value.error().message(),
                 "Write a value that the field can have, or change the field.");
  return std::nullopt;
}

Attribute read_attribute(const yaml::Entry& entry, Problems& problems) {
  const Node& node = entry.value;
  Attribute attribute;
  attribute.name = entry.key.text;
  attribute.at = entry.key.span;
  attribute.type_at = entry.key.span;
  const Node* type = node.is_scalar() ? &node : node.find("type");
  if (type != nullptr) {
    attribute.type = parse_type(type->text).value_or(AttributeType{});
    attribute.type_at = type->span;
  }
  if (node.is_scalar()) return attribute;

  read_bounds(node, attribute);
  read_parts(node, attribute, problems);
  attribute.required = flag_at(node, "required");
  attribute.immutable = flag_at(node, "immutable");
  attribute.format = template_at(node, "format", attribute, problems);
  attribute.value = template_at(node, "value", attribute, problems);
  attribute.automatic = read_auto(text_at(node, "auto"));
  attribute.generate = read_generate(node);
  attribute.ref = text_at(node, "ref");
  attribute.ref_at = word_at(node, "ref").at;
  attribute.unique = read_unique(node);
  for (const auto& [input, result] : entries_at(node, "check"))
    attribute.check.emplace(input.text, result.text);
  attribute.purpose = text_at(node, "purpose");
  attribute.store = text_at(node, "store");
  attribute.notes = read_notes(node);
  if (const Node* said = node.find("default")) attribute.otherwise = read_value(*said, attribute, problems);
  if (const Node* said = node.find("example")) attribute.example = read_value(*said, attribute, problems);
  return attribute;
}

void read_attribute_rules(const Node& attributes, std::vector<Attribute>& fields, const Vocabulary& names,
                          Problems& problems) {
  for (const auto& [key, node] : attributes.entries) {
    const auto field = std::ranges::find(fields, key.text, &Attribute::name);
    if (field == fields.end() || node.is_scalar()) continue;
    if (const Node* derive = node.find("derive")) {
      field->derive = read_rule(*derive, Rule::Form::Value, names, problems);
      field->value_at = derive->span;
    }
    if (const Node* only = node.find("only")) {
      field->only = read_rule(*only, Rule::Form::Value, names, problems);
      field->value_at = only->span;
    }
    if (const Node* when = node.find("when")) {
      field->when = read_rule(*when, Rule::Form::Condition, names, problems);
      if (field->value_at == Span{}) field->value_at = when->span;
    }
    if (const Node* of = node.find("of"); of != nullptr && of->kind == yaml::Kind::Map)
      read_attribute_rules(*of, field->of, names, problems);
  }
}

}  // namespace tavola::design
