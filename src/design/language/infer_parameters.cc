#include "design/language/infer_parameters.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <variant>

#include "design/language/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

using FieldsByName = std::map<std::string_view, const Attribute*>;

// Returns how many parts of `said` and `own` agree from the beginning: equal literals, and placeholders at the same
// positions.
std::size_t parts_alike(const Template& said, const Template& own) {
  const std::size_t most = std::min(said.parts().size(), own.parts().size());
  for (std::size_t i = 0; i < most; ++i) {
    const auto* literal = std::get_if<std::string>(&said.parts()[i]);
    const auto* own_literal = std::get_if<std::string>(&own.parts()[i]);
    if ((literal == nullptr) != (own_literal == nullptr)) return i;
    if (literal != nullptr && *literal != *own_literal) return i;
  }
  return most;
}

// The field that the entity's own template has at the place of a placeholder.
struct Beside {
  const Attribute* field = nullptr;  // null: it has none there
  bool is_day = false;               // as a day
};

// Returns for each part of `said` the field that `own` has there; none from the first difference on.
std::vector<Beside> fields_beside(const Template& said, const std::vector<const Template*>& own,
                                  const Entity& entity) {
  std::vector<Beside> beside(said.parts().size());
  if (own.empty()) return beside;
  FieldsByName fields;
  for (const Attribute& field : entity.fields) fields.emplace(field.name, &field);
  for (const Template* one : own) {
    const std::size_t alike = parts_alike(said, *one);
    for (std::size_t i = 0; i < std::min(alike + 1, one->parts().size()) && i < beside.size(); ++i) {
      const auto* placeholder = std::get_if<Placeholder>(&one->parts()[i]);
      if (placeholder == nullptr || beside[i].field != nullptr) continue;
      const auto found = fields.find(placeholder->field);
      if (found != fields.end())
        beside[i] = {found->second, placeholder->format == Placeholder::Format::Date};
    }
  }
  return beside;
}

// Returns how many words a copy of the form holds.
std::size_t words_in(const Attribute& form) {
  std::size_t words = form.values.size() + form.suggest.size();
  for (const Attribute& part : form.of) words += 1 + words_in(part);
  return words;
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

// Keeps the inferred values of everything that `params` leaves open.
void keep_inferred(const Attribute& inferred, Attribute& form) {
  form.type = inferred.type;
  form.of = inferred.of;
  form.format = inferred.format;
  form.raw = inferred.raw;
  form.in_key = inferred.in_key;
  form.permits = inferred.permits;
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
  // A parameter is written like an attribute, except for its default and the field whose values its example may
  // have.
  yaml::Entry attribute = entry;
  std::erase_if(attribute.value.entries,
                [](const yaml::Entry& e) { return e.key.text == "default" || e.key.text == "example"; });
  const Attribute inferred = std::exchange(parameter.form, read_attribute(attribute, problems));
  // An explicit type drops the inferred bounds.
  if (node.find("type") == nullptr) keep_inferred(inferred, parameter.form);
  parameter.form.sensitive = parameter.form.sensitive || inferred.sensitive;
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
  form.only.reset();
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

void PartCount::add(std::size_t parts, const Span& at) {
  constexpr std::size_t kPartsMax = 100'000;
  parts_ += parts;
  if (parts_ <= kPartsMax || problems_.is_cut()) return;
  static_cast<void>(problems_.too_large(
      at, "the " + section_ + " up to here have too many parameters and assignments in all",
      "Split the design, or the entities with very many fields."));
}

void PartCount::add_all(const std::vector<Parameter>& parameters, const Span& at) {
  constexpr std::size_t kWordsOfAPart = 10;  // they take about as much memory
  std::size_t parts = 2 * parameters.size();
  for (const Parameter& parameter : parameters) parts += words_in(parameter.form) / kWordsOfAPart;
  add(parts, at);
}

std::vector<Parameter> parameters_of(const ParameterUses& uses) {
  // The known forms of a parameter: the field of its name, and the first field that it is like.
  struct Known {
    std::size_t number = 0;
    const Attribute* field = nullptr;
    const Attribute* like = nullptr;
    bool is_day = true;  // in all its uses
  };
  std::map<std::string_view, Known> names;
  std::vector<Parameter> parameters;
  for (const ParameterUse& use : uses) {
    const auto [at, is_new] = names.try_emplace(use.name, Known{.number = parameters.size()});
    Known& known = at->second;
    if (is_new) {
      Parameter& parameter = parameters.emplace_back();
      parameter.name = use.name;
      parameter.required = use.required;
      parameter.at = use.at;
    }
    parameters[known.number].required = parameters[known.number].required || use.required;
    if (known.field == nullptr && use.entity != nullptr) known.field = use.entity->find_field(use.name);
    if (known.like == nullptr) known.like = use.like;
    known.is_day = known.is_day && use.is_day;
  }
  for (const auto& [name, known] : names) {
    Parameter& parameter = parameters[known.number];
    const Attribute* like = known.field != nullptr ? known.field : known.like;
    parameter.form = given_form(parameter.name, like == nullptr ? Attribute() : *like);
    if (known.is_day) parameter.form.type = {AttributeType::Kind::Date, {}};
    // A parameter for an `only: caller()` field defaults to the caller. Without a caller, the parameter is
    // required.
    if (like != nullptr) parameter.otherwise = like->only;
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
  const std::vector<Beside> beside = fields_beside(said, own, entity);
  for (std::size_t i = 0; i < said.parts().size(); ++i) {
    const auto* placeholder = std::get_if<Placeholder>(&said.parts()[i]);
    if (placeholder == nullptr) continue;
    uses.push_back({.name = placeholder->field,
                    .entity = &entity,
                    .like = beside[i].field,
                    .required = true,
                    .at = at,
                    .is_day = placeholder->format == Placeholder::Format::Date || beside[i].is_day});
  }
}

// Returns the field beside each parameter, as in `price > :least` or `stock - :quantity`, in conditions joined by AND:
// the parameter has the form of that field. A rule written in another way needs the type under `params`.
static std::map<std::string, std::string, std::less<>> neighbours_in(const Rule& rule) {
  constexpr std::string_view kOperators[] = {"=", "<>", "<", "<=", ">", ">=", "+", "-"};
  std::vector<std::string> words;
  std::istringstream text(rule.text());
  for (std::string word; text >> word;) words.push_back(std::move(word));
  const auto is_and = [](const std::string& word) { return word == "AND" || word == "and"; };
  std::map<std::string, std::string, std::less<>> neighbours;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool begins = i == 1 || is_and(words[i - 2]);
    const bool ends = i + 2 == words.size() || is_and(words[i + 2]);
    if (!begins || !ends || std::ranges::find(kOperators, words[i]) == std::end(kOperators)) continue;
    neighbours.emplace(words[i + 1], words[i - 1]);
    neighbours.emplace(words[i - 1], words[i + 1]);
  }
  return neighbours;
}

void use_rule(const Rule& rule, const Entity* entity, const Attribute* assigned, const Span& at,
              ParameterUses& uses) {
  if (rule.parameters().empty()) return;
  const auto neighbours = neighbours_in(rule);
  for (const std::string& name : rule.parameters()) {
    const std::string word = ":" + name;
    const auto beside = neighbours.find(word);
    const Attribute* like = nullptr;
    if (rule.text() == word) {
      like = assigned;
    } else if (entity != nullptr && beside != neighbours.end()) {
      like = entity->find_field(beside->second);
    }
    uses.push_back({.name = name, .entity = entity, .like = like, .required = true, .at = at});
  }
}

}  // namespace tavola::design
