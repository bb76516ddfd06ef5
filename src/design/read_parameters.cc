#include "design/read_parameters.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <variant>

#include "design/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

// The field that `own` has where `said` has its placeholder number `index` of parts: both are the same up to there.
const Attribute* field_at(const Template& said, const Template& own, std::size_t index,
                          const Entity& entity) {
  if (index >= own.parts().size()) return nullptr;
  for (std::size_t i = 0; i < index; ++i) {
    const auto* literal = std::get_if<std::string>(&said.parts()[i]);
    const auto* own_literal = std::get_if<std::string>(&own.parts()[i]);
    if ((literal == nullptr) != (own_literal == nullptr)) return nullptr;
    if (literal != nullptr && *literal != *own_literal) return nullptr;
  }
  const auto* placeholder = std::get_if<Placeholder>(&own.parts()[index]);
  return placeholder == nullptr ? nullptr : entity.find_field(placeholder->field);
}

const Attribute* form_of(const ParameterUses& uses, const std::string& name) {
  const auto is_it = [&](const ParameterUse& use) { return use.name == name; };
  for (const ParameterUse& use : uses) {
    if (!is_it(use) || use.entity == nullptr) continue;
    if (const Attribute* field = use.entity->find_field(name)) return field;
  }
  const auto found =
      std::ranges::find_if(uses, [&](const ParameterUse& use) { return is_it(use) && use.like != nullptr; });
  return found == uses.end() ? nullptr : found->like;
}

Parameter& find_or_add(std::vector<Parameter>& parameters, const Node& key) {
  const auto found = std::ranges::find(parameters, key.text, &Parameter::name);
  if (found != parameters.end()) return *found;
  Parameter& added = parameters.emplace_back();
  added.name = added.form.name = key.text;
  added.at = key.span;
  return added;
}

void read_default(const Node& node, Parameter& parameter, Problems& problems) {
  parameter.otherwise = read_rule(node, Rule::Form::Value, Vocabulary(), problems);
  parameter.required = false;
}

// What is not said stays as it was inferred.
void keep_inferred(const Attribute& inferred, Attribute& form) {
  form.type = inferred.type;
  form.of = inferred.of;
  form.format = inferred.format;
  form.raw = inferred.raw;
  form.in_key = inferred.in_key;
  if (form.values.empty()) form.values = inferred.values;
  if (form.suggest.empty()) form.suggest = inferred.suggest;
  if (!form.min) form.min = inferred.min;
  if (!form.max) form.max = inferred.max;
  if (!form.min_length) form.min_length = inferred.min_length;
  if (!form.max_length) form.max_length = inferred.max_length;
  if (!form.max_items) form.max_items = inferred.max_items;
  if (form.pattern.empty()) form.pattern = inferred.pattern;
  if (form.notes.doc.empty()) form.notes.doc = inferred.notes.doc;
}

void read_said(const yaml::Entry& entry, Parameter& parameter, Problems& problems) {
  const Node& node = entry.value;
  // A parameter is written like an attribute, but for its default and the field whose values its example may have.
  yaml::Entry attribute = entry;
  std::erase_if(attribute.value.entries,
                [](const yaml::Entry& e) { return e.key.text == "default" || e.key.text == "example"; });
  const Attribute inferred = std::exchange(parameter.form, read_attribute(attribute, problems));
  // A type of its own leaves the inferred bounds behind.
  if (node.find("type") == nullptr) keep_inferred(inferred, parameter.form);
  if (const Node* example = node.find("example"))
    parameter.form.example = read_value(*example, parameter.form, problems);
  if (const Node* otherwise = node.find("default")) read_default(*otherwise, parameter, problems);
  if (const Node* required = node.find("required")) parameter.required = required->boolean();
}

}  // namespace

Attribute given_form(std::string name, const Attribute& field) {
  Attribute form = field;
  form.name = std::move(name);
  form.value.reset();
  form.derive.reset();
  form.when.reset();
  form.otherwise.reset();
  form.unique.reset();
  form.check.clear();
  form.automatic = Attribute::Auto::No;
  form.generate = Attribute::Generate::No;
  form.stored = true;
  form.required = form.immutable = false;
  return form;
}

std::vector<Parameter> parameters_of(const ParameterUses& uses) {
  std::vector<Parameter> parameters;
  for (const ParameterUse& use : uses) {
    const auto found = std::ranges::find(parameters, use.name, &Parameter::name);
    if (found != parameters.end()) {
      found->required = found->required || use.required;
      continue;
    }
    const Attribute* like = form_of(uses, use.name);
    Parameter& parameter = parameters.emplace_back();
    parameter.name = use.name;
    parameter.form = given_form(use.name, like == nullptr ? Attribute() : *like);
    parameter.required = use.required;
    parameter.at = use.at;
  }
  return parameters;
}

void read_parameters(const Node& part, std::vector<Parameter>& parameters, Problems& problems) {
  for (const yaml::Entry& entry : entries_at(part, "params")) {
    Parameter& parameter = find_or_add(parameters, entry.key);
    parameter.at = entry.key.span;
    if (entry.value.is_scalar()) {
      read_default(entry.value, parameter, problems);
    } else {
      read_said(entry, parameter, problems);
    }
  }
}

void use_placeholders(const Template& said, const std::vector<const Template*>& own, const Entity& entity,
                      const Span& at, ParameterUses& uses) {
  for (std::size_t i = 0; i < said.parts().size(); ++i) {
    const auto* placeholder = std::get_if<Placeholder>(&said.parts()[i]);
    if (placeholder == nullptr) continue;
    ParameterUse use{
        .name = placeholder->field, .entity = &entity, .like = nullptr, .required = true, .at = at};
    for (const Template* one : own) {
      if (use.like == nullptr) use.like = field_at(said, *one, i, entity);
    }
    uses.push_back(std::move(use));
  }
}

// The field that a parameter stands beside in `price > :least` or `stock - :quantity`, of conditions joined by AND in each:
// it is of the same form. What is written in another way says its type under `params`.
static const Attribute* neighbour_of(const std::string& name, const Rule& rule, const Entity& entity) {
  constexpr std::string_view kOperators[] = {"=", "<>", "<", "<=", ">", ">=", "+", "-"};
  std::vector<std::string> words;
  std::istringstream text(rule.text());
  for (std::string word; text >> word;) words.push_back(std::move(word));
  const auto is_and = [](const std::string& word) { return word == "AND" || word == "and"; };
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool begins = i == 1 || is_and(words[i - 2]);
    const bool ends = i + 2 == words.size() || is_and(words[i + 2]);
    if (!begins || !ends || std::ranges::find(kOperators, words[i]) == std::end(kOperators)) continue;
    if (words[i + 1] == ":" + name) return entity.find_field(words[i - 1]);
    if (words[i - 1] == ":" + name) return entity.find_field(words[i + 1]);
  }
  return nullptr;
}

void use_rule(const Rule& rule, const Entity* entity, const Attribute* assigned, const Span& at,
              ParameterUses& uses) {
  for (const std::string& name : rule.parameters()) {
    const bool alone = rule.text() == ":" + name;
    const Attribute* like = alone               ? assigned
                            : entity == nullptr ? nullptr
                                                : neighbour_of(name, rule, *entity);
    uses.push_back({.name = name, .entity = entity, .like = like, .required = true, .at = at});
  }
}

}  // namespace tavola::design
