#include <algorithm>

#include "design/language/validate.h"
#include "design/language/validate_references.h"

namespace tavola::design {
namespace {

void check_fanout(const Copy& copy, const Entity& from, Problems& problems) {
  if (copy.each.empty()) {
    problems.error("copy-form", copy.at, "a fanout needs a list", "Add `each`, as in: each: tags as tag.");
    return;
  }
  if (!require_field(from, {copy.each, copy.at}, problems)) return;
  const Attribute* field = from.find_field(copy.each);
  const bool is_list = field != nullptr && (field->type.kind == AttributeType::Kind::List ||
                                            field->type.kind == AttributeType::Kind::Set);
  if (!is_list) {
    problems.error("copy-form", copy.at, "`" + copy.each + "` is neither a list nor a set",
                   "Fan out over a list or a set.");
  }
}

void check_counter(const Copy& copy, const Entity& to, Problems& problems) {
  std::vector<Word> counted;
  if (!copy.count.empty()) counted.push_back({copy.count, copy.at});
  for (const Assignment& sum : copy.sum) counted.push_back({sum.field, sum.at});
  if (counted.empty())
    problems.error("copy-form", copy.at, "a counter counts nothing", "Add `count` or `sum`.");
  for (const Word& word : counted) {
    if (!require_field(to, word, problems)) continue;
    const Attribute* field = to.find_field(word.text);
    if (field != nullptr && stored_type(field->type) != Type::Number)
      problems.error("copy-form", word.at, "`" + word.text + "` is not a number",
                     "Use a field of the type number.");
  }
}

bool counts_in(const Design& design, const Entity& entity, std::string_view field) {
  return std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.kind == Copy::Kind::Counter && copy.to.text == entity.name &&
           (copy.count == field || std::ranges::find(copy.sum, field, &Assignment::field) != copy.sum.end());
  });
}

// The database makes the item from its key alone, so that every source makes the same.
void check_created(const Design& design, const Copy& copy, const Entity& to, Problems& problems) {
  if (copy.kind != Copy::Kind::Counter) {
    problems.error("copy-form", copy.at, "only a counter creates its item", "Leave out `create`.");
    return;
  }
  const std::vector<std::string> keys = to.key_fields();
  for (const Attribute& field : to.fields) {
    if (std::ranges::find(keys, field.name) != keys.end() || counts_in(design, to, field.name)) continue;
    const bool is_made = field.value || field.derive || (!field.required && !field.when);
    const bool is_same = field.automatic == Attribute::Auto::No && field.generate == Attribute::Generate::No;
    const bool reads_counter =
        field.derive && std::ranges::any_of(field.derive->paths(), [&](const auto& path) {
          return counts_in(design, to, path.front());
        });
    if (is_made && is_same && !reads_counter) continue;
    problems.error(
        "copy-form", copy.at,
        "`" + copy.name + "` cannot create a `" + to.name + "`: `" + field.name +
            "` does not follow from its key",
        "An item that a counter creates has its key, its counters, and fields computed from the key.");
  }
  for (const Copy& other : design.copies) {
    const bool makes = other.kind == Copy::Kind::Mirror || other.kind == Copy::Kind::Fanout ||
                       (other.kind == Copy::Kind::Counter && !other.creates);
    if (other.to.text != to.name || !makes) continue;
    problems.error(
        "copy-form", other.at,
        "`" + other.name + "` writes a `" + to.name + "`, which the counter `" + copy.name + "` creates",
        "Add `create: true` to all counters of the entity, and let nothing else write it.");
  }
}

// The target must be identified: every field of its key is given, or has the same name.
void check_key(const Copy& copy, const Entity& target, Problems& problems) {
  for (const Assignment& one : copy.key) require_field(target, {one.field, one.at}, problems);
  for (const std::string& field : target.key_fields()) {
    const Attribute* attribute = target.find_field(field);
    const bool is_said = std::ranges::find(copy.key, field, &Assignment::field) != copy.key.end() ||
                         std::ranges::find(copy.carry, field, &Assignment::field) != copy.carry.end();
    if (attribute == nullptr || attribute->is_computed() || is_said) continue;
    problems.error(
        "copy-form", copy.at,
        "`" + copy.name + "` does not identify its `" + target.name + "`: `" + field + "` is missing",
        "Add `key: { " + field + ": ... }`.");
  }
}

bool may_be_missing(const Entity& entity, std::string_view name) {
  const Attribute* const field = entity.find_field(name);
  if (field == nullptr || field->required || field->otherwise || field->is_computed()) return false;
  const std::vector<std::string> keys = entity.key_fields();
  return field->generate == Attribute::Generate::No && std::ranges::find(keys, name) == keys.end();
}

bool reads(const Rule& rule, std::string_view field) {
  return std::ranges::any_of(rule.paths(), [field](const auto& path) { return path.front() == field; });
}

// Without all of its key no item can be written, and the change of `from` would be refused. Fields that `when` tests
// exist if it holds.
void check_key_sources(const Copy& copy, const Entity& from, const Entity& to, Problems& problems) {
  const std::vector<std::string> keys = to.key_fields();
  for (const std::vector<Assignment>* assignments : {&copy.key, &copy.carry}) {
    for (const Assignment& one : *assignments) {
      if (std::ranges::find(keys, one.field) == keys.end() || one.value.text().contains("first(")) continue;
      for (const std::vector<std::string>& path : one.value.paths()) {
        if (!may_be_missing(from, path.front()) || (copy.when && reads(*copy.when, path.front()))) continue;
        problems.error(
            "copy-form", copy.at,
            "a `" + from.name + "` without `" + path.front() + "` does not identify its `" + to.name + "`",
            "Make `" + path.front() + "` required, or add `when: exists(" + path.front() + ")`.");
      }
    }
  }
}

void check_copy(const Design& design, const Copy& copy, Problems& problems) {
  const Entity* from = require_entity(design, copy.from, problems);
  const Entity* to = require_entity(design, copy.to, problems);
  if (from == nullptr || to == nullptr) return;
  for (const Assignment& one : copy.carry) require_field(*to, {one.field, one.at}, problems);
  if (copy.kind == Copy::Kind::Fanout) check_fanout(copy, *from, problems);
  if (copy.kind == Copy::Kind::Counter) check_counter(copy, *to, problems);
  if (copy.creates) check_created(design, copy, *to, problems);
  check_key(copy, copy.kind == Copy::Kind::Snapshot ? *from : *to, problems);
  if (copy.kind != Copy::Kind::Snapshot) check_key_sources(copy, *from, *to, problems);
  if (copy.mode == Copy::Mode::AtCreate && copy.kind != Copy::Kind::Snapshot) {
    problems.error("copy-form", copy.at, "only a snapshot is taken at creation",
                   "Write `mode: transaction` or `mode: async`, or make it a snapshot.");
  }
}

// The deletion of an item, and an entity whose items may name it.
struct Deletion {
  const Design& design;
  const Entity& deleted;
  const Entity& referring;
  const Cascade& cascade;
};

// Returns why a field cannot be removed from an item; empty if it can.
std::string why_kept(const Entity& entity, const Attribute& field) {
  const std::vector<std::string> keys = entity.key_fields();
  if (std::ranges::find(keys, field.name) != keys.end()) return "is part of the key";
  if (field.required) return "is required";
  if (field.immutable) return "is immutable";
  // The job that detaches could never end at an item that would break such a rule.
  for (const EntityRule& rule : entity.rules) {
    const bool names_it = std::ranges::any_of(
        rule.that.paths(), [&](const std::vector<std::string>& path) { return path.front() == field.name; });
    if (names_it && rule.that.asks_exists()) return "is asked for by the rule " + rule.name;
  }
  return field.is_computed() || field.when ? "is computed" : "";
}

void check_detach(const Deletion& deletion, Problems& problems) {
  const auto& [design, deleted, referring, cascade] = deletion;
  const Attribute* const field = referring.find_field(cascade.field.text);
  if (field == nullptr) {
    problems.error("cascade-form", cascade.entity.at,
                   "`" + referring.name + "` does not have one reference to `" + deleted.name + "` to detach",
                   "Write `on_delete: detach` at the field with the `ref`.");
    return;
  }
  const std::string why = why_kept(referring, *field);
  if (why.empty()) return;
  problems.error("cascade-form", cascade.entity.at, "`" + field->name + "` cannot be detached: it " + why,
                 "Write `cascade` or `restrict`, or let a `" + referring.name + "` exist without `" +
                     field->name + "`.");
}

// A reference guards its target: no item that names it can be created while its deletion is decided. A cascade of any size must end, so
// nothing may keep what it deletes.
void check_restrict(const Deletion& deletion, Problems& problems) {
  const auto& [design, deleted, referring, cascade] = deletion;
  const bool refers = std::ranges::any_of(referring.fields,
                                          [&](const Attribute& field) { return field.ref == deleted.name; });
  if (!refers) {
    problems.error("cascade-form", cascade.entity.at,
                   "`" + referring.name + "` has no reference to `" + deleted.name +
                       "`, so one could be created while the deletion is decided",
                   "Add `ref: " + deleted.name + "` to the field that names it.");
  }
  for (const Entity& other : design.entities) {
    for (const Cascade& wider : other.on_delete) {
      if (wider.entity.text != deleted.name || wider.action != Cascade::Action::Delete) continue;
      problems.error("cascade-form", wider.entity.at,
                     "a `" + deleted.name + "` is deleted with its `" + other.name + "`, and a `" +
                         referring.name + "` could prevent it",
                     "Let `" + referring.name + "` cascade or detach, or restrict the deletion of `" +
                         other.name + "`.");
    }
  }
}

void check_action(const Deletion& deletion, Problems& problems) {
  const Attribute* const field = deletion.referring.find_field(deletion.cascade.field.text);
  const bool is_many = field != nullptr && (field->type.kind == AttributeType::Kind::List ||
                                            field->type.kind == AttributeType::Kind::Set);
  if (is_many) {
    problems.error("cascade-form", deletion.cascade.entity.at, "`" + field->name + "` names several items",
                   "Use a reference with one value, or an entity for each of them.");
  }
  if (deletion.cascade.action == Cascade::Action::Detach) check_detach(deletion, problems);
  if (deletion.cascade.action == Cascade::Action::Restrict) check_restrict(deletion, problems);
}

void check_cascade(const Design& design, const Entity& entity, const Cascade& cascade, Problems& problems) {
  const Entity* target = require_entity(design, cascade.entity, problems);
  const Pattern* pattern = design.find_pattern(cascade.pattern.text);
  if (pattern == nullptr) {
    refuse_unknown("unknown-pattern", cascade.pattern, "the pattern", names_of(design.patterns), problems);
    return;
  }
  const Entity* found = design.find_entity(pattern->entity.text);
  if (pattern->form != Pattern::Form::Query || found == nullptr || !pattern->follow.empty()) {
    problems.error(
        "cascade-form", cascade.pattern.at,
        "`" + pattern->name + "` is not a query" + (pattern->follow.empty() ? "" : " of its own items"),
        "Name a pattern with `query`: the items must be found without a scan.");
    return;
  }
  for (const Parameter& parameter : pattern->parameters) {
    const bool is_given =
        entity.find_field(parameter.name) != nullptr || parameter.name == cascade.field.text;
    if (!parameter.required || is_given) continue;
    problems.error("cascade-form", cascade.pattern.at,
                   "`" + pattern->name + "` has the parameter `" + parameter.name + "`, which `" +
                       entity.name + "` lacks",
                   "Name a pattern whose parameters are fields of `" + entity.name + "`.");
  }
  if (target == nullptr) return;
  for (const std::string& field : target->key_fields()) {
    if (found->find_field(field) != nullptr) continue;
    problems.error("cascade-form", cascade.pattern.at,
                   "`" + pattern->name + "` does not identify a `" + target->name + "`: `" + found->name +
                       "` has no `" + field + "`",
                   "Name a pattern that returns the fields of its key.");
  }
  check_action({design, entity, *target, cascade}, problems);
}

}  // namespace

void validate_copies(const Design& design, Problems& problems) {
  for (const Copy& copy : design.copies) check_copy(design, copy, problems);
  for (const Entity& entity : design.entities) {
    for (const Cascade& cascade : entity.on_delete) check_cascade(design, entity, cascade, problems);
  }
}

}  // namespace tavola::design
