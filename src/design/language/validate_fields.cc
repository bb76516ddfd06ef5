#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/field_value.h"

namespace tavola::design {
namespace {

// Bounds of a list or set other than max_items apply to its elements.
std::optional<Type> bounded_type(const AttributeType& type) {
  const bool is_collection = type.kind == AttributeType::Kind::List || type.kind == AttributeType::Kind::Set;
  return stored_type(is_collection ? type.element.front() : type);
}

// Refuses a bound that does not apply to values of the field's type.
void check_suits(const Attribute& field, Problems& problems) {
  const std::optional<Type> type = bounded_type(field.type);
  const auto refuse = [&](std::string_view bound, std::string_view of) {
    problems.error("bad-value", field.at,
                   "`" + std::string(bound) + "` applies to " + std::string(of) + ", and `" + field.name +
                       "` has the type " + type_text(field.type),
                   "Leave it out, or change the type.");
  };
  if (type && type != Type::Number) {
    if (field.min) refuse("min", "numbers");
    if (field.max) refuse("max", "numbers");
  }
  if (type && type != Type::String && type != Type::Binary) {
    if (field.min_length) refuse("min_length", "texts and bytes");
    if (field.max_length) refuse("max_length", "texts and bytes");
  }
  if (type && type != Type::String && !field.pattern.empty()) refuse("pattern", "texts");
  const bool is_collection =
      field.type.kind == AttributeType::Kind::List || field.type.kind == AttributeType::Kind::Set;
  if (field.max_items && !is_collection && field.type.kind != AttributeType::Kind::Any)
    refuse("max_items", "lists and sets");
}

void check_bounds(const Attribute& field, Problems& problems) {
  check_suits(field, problems);
  const auto refuse = [&](std::string_view bounds) {
    problems.error("bad-value", field.at,
                   "no value of `" + field.name + "` can be within its " + std::string(bounds),
                   "Make the lower bound the smaller one.");
  };
  if (field.min && field.max && *field.max < *field.min) refuse("min and max");
  if (field.min_length && field.max_length && *field.max_length < *field.min_length)
    refuse("min_length and max_length");
}

void check_form(const Attribute& field, Problems& problems) {
  check_bounds(field, problems);
  if (field.type.kind == AttributeType::Kind::Enum && field.values.empty()) {
    problems.error("missing-key", field.at, "`" + field.name + "` is an enum without `values`",
                   "Add `values`: the only values it may have.");
  }
  if (field.format && field.format->fields().size() != 1) {
    problems.error("bad-template", field.value_at, "a format has one placeholder",
                   "Write it as COUNTRY#<code>: the text, and a name for the rest.");
  }
  if (field.automatic != Attribute::Auto::No && !field.type.is_timestamp()) {
    problems.error("bad-value", field.type_at,
                   "`auto` sets a time, and `" + field.name + "` is not a timestamp", "Make it a timestamp.");
  }
  const int sources = (field.value ? 1 : 0) + (field.derive ? 1 : 0) + (field.only ? 1 : 0) +
                      (field.automatic != Attribute::Auto::No ? 1 : 0);
  if (sources > 1) {
    problems.error("bad-value", field.at, "`" + field.name + "` has two sources of its value",
                   "Keep one of value, derive, only and auto.");
  }
  if (field.only && !field.only->is_constant()) {
    problems.error("bad-rule", field.value_at, "`only` may not use fields or parameters",
                   "Write `caller()`, or compute the field with `derive`.");
  }
  for (const Attribute& part : field.of) {
    check_form(part, problems);
    if (part.only) {
      problems.error("bad-rule", part.value_at, "`only` is for the fields of an entity, not for their parts",
                     "Make `" + part.name + "` a field of its own.");
    }
  }
}

void check_references(const Design& design, const Entity& entity, const Attribute& field,
                      Problems& problems) {
  if (!field.ref.empty()) require_entity(design, {field.ref, field.ref_at}, problems);
  if (field.value) require_fields(entity, *field.value, field.value_at, problems);
  if (!field.unique) return;
  for (std::size_t i = 0; i < field.unique->within.size(); ++i)
    require_field(entity, {field.unique->within[i], field.unique->within_at[i]}, problems);
}

// Returns the fields that a computed field is made of.
std::vector<std::string> sources_of(const Attribute& field) {
  std::vector<std::string> sources;
  if (field.value) sources = field.value->fields();
  for (const std::optional<Rule>* rule : {&field.derive, &field.when}) {
    if (!*rule) continue;
    for (const std::vector<std::string>& path : (*rule)->paths()) sources.push_back(path.front());
  }
  return sources;
}

// Returns for each field of an entity the fields it is made of, by number.
std::vector<std::vector<std::size_t>> sources_by_number(const Entity& entity) {
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < entity.fields.size(); ++i) numbers.emplace(entity.fields[i].name, i);
  std::vector<std::vector<std::size_t>> sources(entity.fields.size());
  for (std::size_t i = 0; i < entity.fields.size(); ++i) {
    for (const std::string& name : sources_of(entity.fields[i])) {
      const auto found = numbers.find(name);
      if (found != numbers.end()) sources[i].push_back(found->second);
    }
  }
  return sources;
}

bool needs_itself(std::size_t field, const std::vector<std::vector<std::size_t>>& sources) {
  std::vector<bool> seen(sources.size());
  std::vector<std::size_t> left{field};
  while (!left.empty()) {
    const std::size_t next = left.back();
    left.pop_back();
    for (const std::size_t source : sources[next]) {
      if (source == field) return true;
      if (!seen[source]) left.push_back(source);
      seen[source] = true;
    }
  }
  return false;
}

void check_circles(const Entity& entity, Problems& problems) {
  const std::vector<std::vector<std::size_t>> sources = sources_by_number(entity);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!needs_itself(i, sources)) continue;
    problems.error("circular", entity.fields[i].value_at, "`" + entity.fields[i].name + "` depends on itself",
                   "Compute it from other fields.");
  }
}

// Refuses caller() in rules that are evaluated again later, when the writer is no longer known.
void refuse_caller(const std::optional<Rule>& rule, const Span& at, Problems& problems) {
  if (!rule || !rule->uses_caller()) return;
  problems.error("bad-rule", at, "caller() is known only during the write, and this is computed again later",
                 "Write `only: caller()` for a field, or use it in the steps of an operation.");
}

// A rule of an entity is checked whenever an item is written or compared with the design, at any time and for any caller.
void check_rule(const EntityRule& rule, Problems& problems) {
  refuse_caller(rule.that, rule.at, problems);
  if (rule.that.changes_by_itself()) {
    problems.error("bad-rule", rule.at,
                   "a rule of an entity holds at all times, and now() is another tomorrow",
                   "Compare fields with one another; for a moment, use `require` in an operation.");
  }
  if (!rule.that.parameters().empty() || rule.that.paths().empty()) {
    problems.error("bad-rule", rule.at, "a rule of an entity is about its fields",
                   "Name fields in it, and no parameters.");
  }
}

std::string shown(const Value& value) {
  if (value.is_string()) return value.string();
  return value.is_number() ? value.number().to_string() : to_json(value);
}

// Returns the result of a rule for one field, as `check` writes it.
std::string derived_from(const Attribute& input, const std::string& text, const Rule& derive) {
  const Result<Value> value = from_text(input, text);
  const Item fields{{input.name, value ? *value : Value(text)}};
  const auto derived = derive.value({.fields = &fields, .parameters = nullptr, .others = nullptr});
  const std::optional<Value> found = derived ? *derived : std::nullopt;
  return found ? shown(*found) : "nothing";
}

// `check` has one input and its result, so the derivation must have one input.
void check_derivation(const Entity& entity, const Attribute& field, Problems& problems) {
  if (field.check.empty() || !field.derive) return;
  const auto& paths = field.derive->paths();
  const Attribute* input = paths.size() == 1 ? entity.find_field(paths.front().front()) : nullptr;
  if (input == nullptr) {
    problems.error("bad-check", field.at, "`check` needs an expression over one field",
                   "Show the derivation in `examples` instead.");
    return;
  }
  for (const auto& [text, expected] : field.check) {
    const std::string found = derived_from(*input, text, *field.derive);
    if (found == expected) continue;
    std::string message = "`" + text;
    message.append("` gives ").append(found).append(", not ").append(expected);
    problems.error("bad-check", field.at, std::move(message), "Change the expression or the expected value.");
  }
}

}  // namespace

void validate_fields(const Design& design, Problems& problems) {
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      check_form(field, problems);
      check_references(design, entity, field, problems);
      refuse_caller(field.derive, field.value_at, problems);
      refuse_caller(field.when, field.value_at, problems);
      check_derivation(entity, field, problems);
    }
    check_circles(entity, problems);
    for (const EntityRule& rule : entity.rules) check_rule(rule, problems);
    for (const IndexEntry& entry : entity.indexes) refuse_caller(entry.when, entry.at, problems);
  }
  for (const Copy& copy : design.copies) {
    refuse_caller(copy.when, copy.at, problems);
    for (const std::vector<Assignment>* assignments : {&copy.carry, &copy.key, &copy.sum}) {
      for (const Assignment& one : *assignments) refuse_caller(one.value, one.at, problems);
    }
  }
  // Checks the declared properties of parameters; the inferred ones are those of their fields.
  const auto check_parameters = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) {
      if (parameter.form.at == parameter.at) check_bounds(parameter.form, problems);
    }
  };
  for (const Pattern& pattern : design.patterns) check_parameters(pattern.parameters);
  for (const Operation& operation : design.operations) check_parameters(operation.parameters);
}

}  // namespace tavola::design
