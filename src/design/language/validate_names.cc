#include <algorithm>
#include <map>
#include <set>

#include "base/ascii.h"
#include "database/names.h"
#include "design/language/validate.h"
#include "design/language/validate_references.h"

namespace tavola::design {
namespace {

bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

bool is_part_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_word_character(c) || c == '-'; });
}

// Returns whether expressions can use the name.
bool is_field_name(std::string_view name) {
  return !name.empty() && (is_letter(name.front()) || name.front() == '_') &&
         std::ranges::all_of(name, is_word_character);
}

void check_part(std::string_view name, const Span& at, Problems& problems) {
  if (!is_part_name(name)) {
    problems.error("bad-name", at, "`" + std::string(name) + "` is not a valid name",
                   "Use letters, digits, '-' and '_'.");
  }
}

void check_field(std::string_view name, const Span& at, Problems& problems) {
  if (!is_field_name(name)) {
    problems.error("bad-name", at, "`" + std::string(name) + "` cannot be used in expressions",
                   "Use letters, digits and '_', and no digit at the beginning.");
  }
}

// Refuses `limit` and `page`, which every pattern has already.
void check_parameters(const Pattern& pattern, Problems& problems) {
  for (const Parameter& parameter : pattern.parameters) {
    if (parameter.name != "limit" && parameter.name != "page") continue;
    problems.error("bad-name", parameter.at,
                   "`" + parameter.name + "` of `" + pattern.name +
                       "` cannot be given over HTTP, where every pattern has a `" + parameter.name +
                       "` of its own",
                   "Give the parameter another name.");
  }
}

void check_entity(const Entity& entity, Problems& problems) {
  check_part(entity.name, entity.at, problems);
  for (const Attribute& field : entity.fields) check_field(field.name, field.at, problems);
  for (const EntityRule& rule : entity.rules) check_field(rule.name, rule.at, problems);
  std::set<std::string_view> transitions;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    check_field(lifecycle.name, lifecycle.at, problems);
    if (lifecycle.attribute.empty() && entity.find_field(lifecycle.name) != nullptr) {
      problems.error("duplicate-name", lifecycle.at,
                     "`" + lifecycle.name + "` is a field of `" + entity.name + "`, too",
                     "Give the lifecycle another name: expressions use it for the state.");
    }
    for (const State& state : lifecycle.states) check_part(state.name, state.at, problems);
    for (const Transition& transition : lifecycle.transitions) {
      check_part(transition.name, transition.at, problems);
      if (!transitions.insert(transition.name).second) {
        problems.error("duplicate-name", transition.at,
                       "two lifecycles of `" + entity.name + "` have a transition `" + transition.name + "`",
                       "Give one of them another name.");
      }
    }
  }
}

// Checks the names under which an operation knows items: each is unique, and none is a field of an entity
// that is written.
void check_aliases(const Design& design, const Operation& operation, Problems& problems) {
  std::set<std::string_view> names;
  const auto check = [&](const std::string& name, const Span& at) {
    if (name.empty()) return;
    check_field(name, at, problems);
    if (!names.insert(name).second)
      problems.error("duplicate-name", at, "two items have the name `" + name + "`",
                     "Give one another name.");
  };
  for (const ReadFirst& read : operation.reads) check(read.name, read.at);
  for (const Step& step : operation.steps) {
    check(step.as, step.at);
    if (step.element != step.as && !names.contains(step.element)) check(step.element, step.each.at);
  }
  std::map<std::string_view, std::set<std::string_view>> clashes;  // by entity: its fields among the names
  for (const Step& step : operation.steps) {
    const Entity* entity = design.find_entity(step.entity.text);
    if (entity == nullptr) continue;
    const auto [clashing, is_new] = clashes.try_emplace(entity->name);
    if (is_new) {
      for (const Attribute& field : entity->fields) {
        if (names.contains(field.name)) clashing->second.insert(field.name);
      }
    }
    for (const std::string_view name : clashing->second) {
      problems.error("duplicate-name", step.at,
                     "`" + std::string(name) + "` is an item here and a field of `" + entity->name + "`",
                     "Give the item another name.");
    }
  }
}

}  // namespace

void validate_names(const Design& design, Problems& problems) {
  check_part(design.name, design.name_at, problems);
  for (const Index& index : design.indexes) {
    if (!is_name(index.name)) {
      problems.error("bad-name", index.at, "`" + index.name + "` is not a valid index name",
                     "Use 3 to 255 letters, digits, '_', '-' and '.'.");
    }
  }
  if (!is_name(design.table.name)) {
    problems.error("bad-name", design.table.name_at, "`" + design.table.name + "` is not a valid table name",
                   "Use 3 to 255 letters, digits, '_', '-' and '.'.");
  }
  for (const Entity& entity : design.entities) check_entity(entity, problems);
  for (const Copy& copy : design.copies) {
    check_part(copy.name, copy.at, problems);
    const Entity* from = design.find_entity(copy.from.text);
    if (from != nullptr && !copy.element.empty() && from->find_field(copy.element) != nullptr) {
      problems.error("duplicate-name", copy.at,
                     "`" + copy.element + "` is the list's element and a field of `" + from->name + "`",
                     "Give the element another name.");
    }
  }
  for (const Consequence& consequence : design.consequences) {
    check_part(consequence.name, consequence.at, problems);
    for (const ReadFirst& read : consequence.reads) check_field(read.name, read.at, problems);
  }
  for (const Pattern& pattern : design.patterns) {
    check_part(pattern.name, pattern.at, problems);
    check_parameters(pattern, problems);
  }
  for (const Operation& operation : design.operations) {
    check_part(operation.name, operation.at, problems);
    if (design.find_pattern(operation.name) != nullptr) {
      problems.error("duplicate-name", operation.at, "`" + operation.name + "` is a pattern and an operation",
                     "Give one of them another name.");
    }
    check_aliases(design, operation, problems);
    for (const Parameter& parameter : operation.parameters)
      check_field(parameter.name, parameter.at, problems);
  }
  for (const Role& role : design.roles) check_part(role.name, role.at, problems);
}

}  // namespace tavola::design
