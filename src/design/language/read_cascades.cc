// `on_delete`: at a reference, where the pattern that finds the referring items is chosen if it is not named, and at the deleted entity.
#include <algorithm>

#include "design/items/references.h"
#include "design/language/infer_parameters.h"
#include "design/language/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

Cascade::Action read_action(std::string_view word) {
  if (word == "restrict") return Cascade::Action::Restrict;
  return word == "detach" ? Cascade::Action::Detach : Cascade::Action::Delete;
}

// Reads { restrict: PATTERN }. Returns nullopt, and reports it, unless the map has one key.
std::optional<Cascade> read_map(const Node& node, Problems& problems) {
  if (node.entries.size() != 1) {
    problems.error("cascade-form", node.span, "`on_delete` does one thing",
                   "Keep one of cascade, restrict and detach.");
    return std::nullopt;
  }
  const auto& [action, pattern] = node.entries.front();
  return Cascade{.entity = {}, .pattern = word_of(pattern), .action = read_action(action.text)};
}

// Returns the fields of an entity that refer to another.
std::vector<const Attribute*> references_to(const Entity& entity, const std::string& target) {
  std::vector<const Attribute*> references;
  for (const Attribute& field : entity.fields) {
    if (field.ref == target) references.push_back(&field);
  }
  return references;
}

// ---- The pattern that finds the referring items ----

// Returns the templates of an entity's keys in the table or an index; null if it is not always there.
struct Places {
  const Template* hash = nullptr;
  const Template* range = nullptr;
};
Places places_of(const Entity& entity, const std::string& via) {
  if (via == "table") return {&entity.hash, entity.range ? &*entity.range : nullptr};
  const IndexEntry* const entry = entity.find_index(via);
  if (entry == nullptr || entry->when || !entry->hash.from) return {};
  const bool has_range = entry->range && entry->range->from;
  return {&*entry->hash.from, has_range ? &*entry->range->from : nullptr};
}

// A parameter of a pattern and the field of the entity whose place in the key it takes.
struct Asked {
  std::string parameter;
  std::string field;
};

// Adds what a template of a pattern asks for. Returns false if it is not the beginning of the entity's template.
bool add_asked(const Template& pattern, const Template& key, std::vector<Asked>& asked) {
  for (std::size_t i = 0; i < pattern.parts().size(); ++i) {
    if (i == key.parts().size()) return false;
    const auto* const text = std::get_if<std::string>(&pattern.parts()[i]);
    const auto* const own_text = std::get_if<std::string>(&key.parts()[i]);
    if ((text == nullptr) != (own_text == nullptr)) return false;
    if (text == nullptr) {
      asked.push_back(
          {std::get<Placeholder>(pattern.parts()[i]).field, std::get<Placeholder>(key.parts()[i]).field});
    } else if (*text != *own_text && !(i + 1 == pattern.parts().size() && own_text->starts_with(*text))) {
      return false;
    }
  }
  return true;
}

// Returns what a pattern asks for; nullopt if its conditions may leave out items of the entity.
std::optional<std::vector<Asked>> asked_by(const Pattern& pattern, const Places& places) {
  std::vector<Asked> asked;
  if (places.hash == nullptr || !pattern.hash || !add_asked(*pattern.hash, *places.hash, asked))
    return std::nullopt;
  if (!pattern.range) return asked;
  const bool is_prefix = pattern.range->op == RangeCondition::Operator::BeginsWith ||
                         pattern.range->op == RangeCondition::Operator::Equal;
  if (!is_prefix || places.range == nullptr || !add_asked(pattern.range->first, *places.range, asked))
    return std::nullopt;
  return asked;
}

// Returns whether items of `found` identify items of `entity`: they are its items or their mirrors.
bool identifies(const Design& design, const Entity& found, const Entity& entity) {
  if (&found == &entity) return true;
  const bool is_mirror = std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.kind == Copy::Kind::Mirror && copy.from.text == entity.name && copy.to.text == found.name;
  });
  return is_mirror && std::ranges::all_of(entity.key_fields(), [&](const std::string& field) {
           return found.find_field(field) != nullptr;
         });
}

struct ReferenceAt {
  const Entity& entity;
  const Attribute& field;
  const Entity& target;
};

bool finds_referring(const Design& design, const Pattern& pattern, const ReferenceAt& reference) {
  const Entity* const found = design.find_entity(pattern.entity.text);
  if (pattern.form != Pattern::Form::Query || pattern.planned || pattern.filter || found == nullptr)
    return false;
  if (!identifies(design, *found, reference.entity)) return false;
  const auto asked = asked_by(pattern, places_of(*found, pattern.via.text));
  if (!asked) return false;
  const std::vector<std::string> keys = reference.target.key_fields();
  const std::string held = referenced_field(reference.entity, reference.field.name, reference.target);
  const auto is_reference = [&](const Asked& one) {
    return one.field == reference.field.name && (one.parameter == one.field || one.parameter == held);
  };
  const auto is_given = [&](const Asked& one) {
    const bool is_key = one.parameter == one.field && std::ranges::find(keys, one.field) != keys.end();
    return is_reference(one) || (is_key && one.field != held);
  };
  return std::ranges::all_of(*asked, is_given) && std::ranges::any_of(*asked, is_reference);
}

// Prefers the items themselves to their mirrors.
const Pattern* find_pattern(const Design& design, const ReferenceAt& reference) {
  const Pattern* by_mirror = nullptr;
  for (const Pattern& pattern : design.patterns) {
    if (!finds_referring(design, pattern, reference)) continue;
    if (pattern.entity.text == reference.entity.name) return &pattern;
    if (by_mirror == nullptr) by_mirror = &pattern;
  }
  return by_mirror;
}

void report_none(const ReferenceAt& reference, const Span& at, Problems& problems) {
  const std::string& entity = reference.entity.name;
  const std::string& field = reference.field.name;
  std::string advice = "Add an index by `" + field + "`, and a pattern: { query: " + entity +
                       ", via: INDEX, hash: <" + field + "> }. Or name one: on_delete: { cascade: PATTERN }.";
  for (const IndexEntry& entry : reference.entity.indexes) {
    if (entry.when || !entry.hash.from || entry.hash.from->fields() != std::vector{field}) continue;
    advice = "Add a pattern: { query: " + entity + ", via: " + entry.index +
             ", hash: " + entry.hash.from->text() + " }.";
    break;
  }
  problems.error("cascade-form", at,
                 "no pattern finds every `" + entity + "` of a deleted `" + reference.target.name + "`",
                 advice);
}

// ---- Reading ----

void add_cascade(Design& design, const std::string& to, Cascade cascade, Problems& problems) {
  const auto target = std::ranges::find(design.entities, to, &Entity::name);
  if (target == design.entities.end()) return;  // validate_fields.cc reports it
  const bool is_said = std::ranges::any_of(target->on_delete, [&](const Cascade& other) {
    return other.entity.text == cascade.entity.text && other.field.text == cascade.field.text;
  });
  if (is_said) {
    problems.error("cascade-form", cascade.entity.at,
                   "what happens to a `" + cascade.entity.text + "` with its `" + to + "` is said twice",
                   "Keep `on_delete` of the reference or of `" + to + "`.");
    return;
  }
  target->on_delete.push_back(std::move(cascade));
}

void read_of_entity(Design& design, const std::string& name, const Node& node, Problems& problems) {
  for (const auto& [key, said] : entries_at(node, "on_delete")) {
    std::optional<Cascade> cascade =
        said.is_scalar() ? Cascade{.entity = {}, .pattern = word_of(said)} : read_map(said, problems);
    if (!cascade) continue;
    cascade->entity = word_of(key);
    const Entity* const referring = design.find_entity(key.text);
    const auto references =
        referring == nullptr ? std::vector<const Attribute*>() : references_to(*referring, name);
    if (references.size() == 1) cascade->field = {references.front()->name, references.front()->at};
    add_cascade(design, name, *std::move(cascade), problems);
  }
}

void read_of_reference(Design& design, const Entity& entity, const yaml::Entry& entry, Problems& problems) {
  const Node& said = *entry.value.find("on_delete");
  const Attribute& field = *entity.find_field(entry.key.text);
  if (field.ref.empty()) {
    problems.error("cascade-form", said.span, "`" + field.name + "` refers to nothing",
                   "Add `ref` with the entity that it refers to, or remove `on_delete`.");
    return;
  }
  const Entity* const target = design.find_entity(field.ref);
  std::optional<Cascade> cascade =
      said.is_scalar() ? Cascade{.entity = {}, .pattern = {}, .action = read_action(said.text)}
                       : read_map(said, problems);
  if (target == nullptr || !cascade) return;
  cascade->entity = {entity.name, said.span};
  cascade->field = {field.name, field.at};
  if (cascade->pattern.empty()) {
    const ReferenceAt reference{entity, field, *target};
    const Pattern* const found = find_pattern(design, reference);
    if (found == nullptr) return report_none(reference, said.span, problems);
    cascade->pattern = {found->name, said.span};
  }
  add_cascade(design, field.ref, *std::move(cascade), problems);
}

void refuse_in_parts(const Node& attribute, Problems& problems) {
  const Node* const of = attribute.find("of");
  if (of == nullptr) return;
  for (const auto& [key, part] : of->entries) {
    if (const Node* const said = part.find("on_delete")) {
      problems.error("cascade-form", said->span,
                     "`on_delete` is for the references of an entity, not for parts of its fields",
                     "Make `" + key.text + "` a field of its own.");
    }
    refuse_in_parts(part, problems);
  }
}

// ---- Operations that delete ----

// A step that deletes an item of `deleted`, and one of the entity's cascades.
struct Follower {
  const Step& step;
  const Entity& deleted;
  const Entity& entity;
  const Pattern& pattern;
  const Cascade& cascade;
};

// Returns the parameters of the pattern, by the key of the deleted item. Returns nullopt if they need its other fields.
std::optional<std::vector<Assignment>> given_by(const Follower& follower) {
  const std::vector<std::string> keys = follower.deleted.key_fields();
  std::vector<Assignment> given;
  for (const Parameter& parameter : follower.pattern.parameters) {
    const bool is_reference = parameter.name == follower.cascade.field.text;
    const std::string field =
        is_reference ? referenced_field(follower.entity, parameter.name, follower.deleted) : parameter.name;
    const auto key = std::ranges::find(follower.step.key, field, &Assignment::field);
    const bool is_key = std::ranges::find(keys, field) != keys.end() && key != follower.step.key.end();
    if (is_key) given.push_back({.field = parameter.name, .value = key->value, .at = follower.step.at});
    if (!is_key && parameter.required) return std::nullopt;
  }
  return given;
}

// Returns a name for the items found that is none of a step, a read or a field.
std::string element_for(const Design& design, const Operation& operation, const std::string& entity) {
  const auto is_taken = [&](const std::string& name) {
    const auto has = [&](const Step& step) { return step.as == name || step.element == name; };
    const auto has_field = [&](const Entity& one) { return one.find_field(name) != nullptr; };
    return std::ranges::any_of(operation.steps, has) || std::ranges::any_of(design.entities, has_field) ||
           std::ranges::find(operation.reads, name, &ReadFirst::name) != operation.reads.end();
  };
  std::string name = "found" + entity;
  while (is_taken(name)) name += "_";
  return name;
}

// Returns the step that does what a governed table does by itself.
std::optional<Step> implied_step(const Design& design, const Operation& operation, const Follower& follower) {
  std::optional<std::vector<Assignment>> given = given_by(follower);
  if (!given) return std::nullopt;
  constexpr Step::Kind kKinds[] = {Step::Kind::Delete, Step::Kind::Check, Step::Kind::Update};
  Step step;
  step.kind = kKinds[static_cast<std::size_t>(follower.cascade.action)];
  step.entity = {follower.entity.name, follower.step.at};
  step.element = element_for(design, operation, follower.entity.name);
  step.each = {follower.pattern.name, follower.step.at};
  Vocabulary names;
  names.add(step.element, design.find_entity(follower.pattern.entity.text));
  for (const std::string& field : follower.entity.key_fields()) {
    std::optional<Assignment> key = implied(field, step.element + "." + field, names, follower.step.at);
    if (!key) return std::nullopt;
    step.key.push_back(*std::move(key));
  }
  if (step.kind == Step::Kind::Update) step.remove.push_back({follower.cascade.field.text, follower.step.at});
  if (step.kind == Step::Kind::Check) {
    step.exists = false;
    step.otherwise = kStillReferenced;
  }
  step.when = follower.step.when;
  step.given = *std::move(given);
  step.implied = true;
  step.at = follower.step.at;
  return step;
}

// Returns whether the operation itself deletes what the pattern finds.
bool deletes_each(const Operation& operation, const Cascade& cascade) {
  return std::ranges::any_of(operation.steps, [&](const Step& step) {
    return step.kind == Step::Kind::Delete && step.entity.text == cascade.entity.text && !step.each.empty();
  });
}

void add_implied_steps(const Design& design, Operation& operation, PartCount& count) {
  const std::size_t own_steps = operation.steps.size();
  for (std::size_t i = 0; i < own_steps; ++i) {
    const Step step = operation.steps[i];
    const Entity* const deleted = design.find_entity(step.entity.text);
    if (step.kind != Step::Kind::Delete || !step.each.empty() || deleted == nullptr) continue;
    for (const Cascade& cascade : deleted->on_delete) {
      const Entity* const entity = design.find_entity(cascade.entity.text);
      const Pattern* const pattern = design.find_pattern(cascade.pattern.text);
      if (entity == nullptr || pattern == nullptr || deletes_each(operation, cascade)) continue;
      std::optional<Step> implied =
          implied_step(design, operation, {step, *deleted, *entity, *pattern, cascade});
      if (!implied) continue;
      count.add(implied->key.size() + implied->given.size(), operation.at);
      operation.steps.push_back(*std::move(implied));
    }
  }
}

}  // namespace

void read_cascades(const Node& root, Design& design, Problems& problems) {
  for (const auto& [key, node] : entries_at(root, "entities"))
    read_of_entity(design, key.text, node, problems);
  for (const auto& [key, node] : entries_at(root, "entities")) {
    for (const std::string_view section : {"ids", "attributes"}) {
      for (const yaml::Entry& entry : entries_at(node, section)) {
        refuse_in_parts(entry.value, problems);
        if (entry.value.find("on_delete") != nullptr)
          read_of_reference(design, *design.find_entity(key.text), entry, problems);
      }
    }
  }
  PartCount count("operations", problems);
  for (Operation& operation : design.operations) {
    if (problems.is_cut()) return;
    add_implied_steps(design, operation, count);
  }
}

}  // namespace tavola::design
