#include "design/step_plan.h"

#include <algorithm>

#include "design/consequences.h"
#include "design/entity_item.h"
#include "design/field_value.h"
#include "design/parameters.h"

namespace tavola::design {
namespace {

const Lifecycle* lifecycle_of(const Entity& entity, const Transition& transition) {
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    for (const Transition& each : lifecycle.transitions) {
      if (&each == &transition) return &lifecycle;
    }
  }
  return nullptr;
}

// The stored attribute of a field; empty when it lives in the table's keys alone.
std::string attribute_of(const Design& design, const Entity& entity, const std::string& field) {
  if (const Lifecycle* lifecycle = entity.find_lifecycle(field); lifecycle && lifecycle->attribute.empty()) {
    const Index* index = design.find_index(lifecycle->index);
    return index != nullptr && index->range ? index->range->name : std::string();
  }
  const Attribute* found = entity.find_field(field);
  return found != nullptr && found->stored ? field : std::string();
}

Occasion occasion_of(const Step& step) {
  return step.kind == Step::Kind::Transition ? Occasion::Transition : Occasion::Change;
}

bool is_automatic(const Attribute& field, Step::Kind kind) {
  return field.automatic == Attribute::Auto::Update ||
         (field.automatic == Attribute::Auto::Transition && kind == Step::Kind::Transition);
}

// All that copies and unique guards of the entity are made of.
FieldNames consequential_fields(const Design& design, const Entity& entity) {
  FieldNames fields;
  for (const Derived& derived : derived_of(design, entity, {})) {
    if (derived.kind == Derived::Kind::Copy || derived.kind == Derived::Kind::Unique) {
      fields.insert(derived.from.begin(), derived.from.end());
    }
  }
  return fields;
}

// What counts for the entity and is kept on it: a delete must not miss what was counted meanwhile.
FieldNames counted_fields(const Design& design, const Entity& entity) {
  FieldNames fields;
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
    if (!copy.count.empty()) fields.insert(copy.count);
    for (const Assignment& sum : copy.sum) fields.insert(sum.field);
  }
  return fields;
}

// A moment is a number when the database computes it, whatever the field is written as.
bool needs_conversion(const Entity& entity, const Assignment& assignment) {
  const Attribute* field = entity.find_field(assignment.field);
  return field != nullptr && field->type.is_timestamp() &&
         field->type.kind != AttributeType::Kind::TimestampMs && assignment.value.gives_moment();
}

}  // namespace

FieldNames fields_used_of(const Operation& operation, std::string_view name) {
  FieldNames fields;
  const auto look = [&](const Rule& rule) {
    for (const std::vector<std::string>& path : rule.paths()) {
      if (path.size() > 1 && path.front() == name) fields.insert(path[1]);
    }
  };
  for (const Step& step : operation.steps) {
    for (const Assignment& assignment : step.key) look(assignment.value);
    for (const Assignment& assignment : step.set) look(assignment.value);
    for (const Requirement& requirement : step.require) look(requirement.that);
    if (step.when) look(*step.when);
  }
  return fields;
}

void add_unchanged(const Design& design, const Entity& entity, const FieldNames& consulted,
                   const std::optional<Item>& stored, PendingWrite& write) {
  Cause cause{.kind = Cause::Kind::Changed, .name = {}, .reason = "it changed meanwhile", .condition = {}};
  if (!stored) {
    cause.condition = absent_condition(design.table, write.parts);
    write.causes.push_back(std::move(cause));
    return;
  }
  FieldNames attributes;
  for (const std::string& field : consulted) {
    if (std::string attribute = attribute_of(design, entity, field); !attribute.empty()) {
      attributes.insert(std::move(attribute));
    }
  }
  for (const std::string& attribute : attributes) {
    const auto found = stored->find(attribute);
    const std::string name = write.parts.name(attribute);
    cause.condition += cause.condition.empty() ? "" : " AND ";
    cause.condition += found == stored->end() ? "attribute_not_exists(" + name + ")"
                                              : name + " = " + write.parts.value(found->second);
  }
  if (cause.condition.empty()) cause.condition = exists_condition(design.table, write.parts);
  write.causes.push_back(std::move(cause));
}

expr::RuleInputs StepPlanner::inputs(const Item* fields) const {
  return {.fields = fields,
          .parameters = &call_.parameters,
          .others = &others_,
          .now = call_.moment.now,
          .random = call_.moment.random};
}

// Whether the rule looks at the step's own entity, and not only at parameters and others.
bool StepPlanner::reads_fields(const Rule& rule) const {
  const Operation& operation = *call_.operation;
  const auto is_other = [&](const std::string& name) {
    return std::ranges::any_of(operation.reads, [&](const ReadFirst& read) { return read.name == name; }) ||
           std::ranges::any_of(operation.steps,
                               [&](const Step& step) { return step.as == name || step.element == name; });
  };
  return std::ranges::any_of(rule.paths(), [&](const auto& path) { return !is_other(path.front()); });
}

Result<Item> StepPlanner::key_fields(const Step& step) const {
  const Entity& entity = entity_of(step);
  Item fields;
  const auto element = others_.find(step.element);
  for (const Assignment& assignment : step.key) {
    TAVOLA_TRY(std::optional<Value> value, assignment.value.value(inputs()));
    // Of `each`: what is not said comes from the element.
    if (!value && !step.element.empty() && element != others_.end()) {
      const auto found = element->second.find(assignment.field);
      if (found != element->second.end()) value = found->second;
    }
    if (value) TAVOLA_CHECK(assign_computed(entity, assignment, *value, fields));
  }
  if (step.kind != Step::Kind::Put) return fields;
  const std::vector<std::string> in_key = entity.key_fields();
  for (const Assignment& assignment : step.set) {
    if (std::ranges::find(in_key, assignment.field) == in_key.end()) continue;
    TAVOLA_TRY(const std::optional<Value> value, assignment.value.value(inputs()));
    if (value) TAVOLA_CHECK(assign_computed(entity, assignment, *value, fields));
  }
  return fields;
}

// What the transition sets, then what the step sets: the later word counts.
std::vector<const Assignment*> StepPlanner::assignments(const Step& step) const {
  std::vector<const Assignment*> all;
  if (step.kind == Step::Kind::Transition) {
    for (const Assignment& one : entity_of(step).find_transition(step.transition.text)->set)
      all.push_back(&one);
  }
  for (const Assignment& one : step.set) {
    std::erase_if(all, [&one](const Assignment* other) { return other->field == one.field; });
    all.push_back(&one);
  }
  return all;
}

Result<Wish> StepPlanner::wish_of(const Step& step, const Item& key_fields) const {
  const Entity& entity = entity_of(step);
  Wish wish{.known = key_fields, .remote = {}, .changed = {}, .removed = {}};
  for (const Assignment* assignment : assignments(step)) {
    if (reads_fields(assignment->value)) {
      wish.remote.push_back(assignment);
      wish.changed.insert(assignment->field);
      continue;
    }
    TAVOLA_TRY(const std::optional<Value> value, assignment->value.value(inputs()));
    if (!value) continue;  // what is not given stays as it is
    TAVOLA_CHECK(assign_computed(entity, *assignment, *value, wish.known));
    wish.changed.insert(assignment->field);
  }
  if (step.kind == Step::Kind::Transition) {
    const Transition& transition = *entity.find_transition(step.transition.text);
    const std::string& field = lifecycle_of(entity, transition)->field();
    wish.known[field] = transition.to.text;
    wish.changed.insert(field);
  }
  for (const Attribute& field : entity.fields) {
    if (!is_automatic(field, step.kind)) continue;
    wish.known[field.name] = write_moment(field.type, call_.moment.now);
    wish.changed.insert(field.name);
  }
  for (const Word& word : step.remove) {
    wish.known.erase(word.text);
    wish.removed.insert(word.text);
    wish.changed.insert(word.text);
  }
  return wish;
}

// Whether the operation looks at more of what the step wrote than the step knows: later steps, or a record of what the
// operation answered.
bool StepPlanner::is_used_later(const Step& step, const Wish& wish) const {
  if (step.as.empty()) return false;
  const Operation& operation = *call_.operation;
  if (operation.returns == step.as && !operation.idempotent_by.empty()) return true;
  return !std::ranges::all_of(fields_used_of(operation, step.as),
                              [&](const std::string& field) { return wish.known.contains(field); });
}

Result<bool> StepPlanner::needs_stored(const Step& step, const Item& key_fields) const {
  const Entity& entity = entity_of(step);
  const auto has_consequences = [&] { return !consequential_fields(*call_.design, entity).empty(); };
  switch (step.kind) {
    case Step::Kind::Check:
      return false;
    case Step::Kind::Delete:
      return has_consequences() || !counted_fields(*call_.design, entity).empty();
    case Step::Kind::Put: {
      const auto is_created = [](const Attribute& field) {
        return field.automatic == Attribute::Auto::Create;
      };
      return step.exists != false && (has_consequences() || std::ranges::any_of(entity.fields, is_created));
    }
    default:
      break;
  }
  TAVOLA_TRY(Wish wish, wish_of(step, key_fields));
  for (const Assignment* assignment : wish.remote) {
    if (assignment->value.why_not_lowered() || needs_conversion(entity, *assignment)) return true;
  }
  if (is_used_later(step, wish)) return true;
  // What comes from items that are still to be read may change, too.
  for (const Assignment* assignment : assignments(step)) {
    if (!assignment->value.paths().empty()) wish.changed.insert(assignment->field);
  }
  const auto is_known = [&wish](const std::string& field) {
    return wish.known.contains(field) || wish.removed.contains(field);
  };
  for (const Derived& derived : affected_by(wish.changed, derived_of(*call_.design, entity, wish.known))) {
    if (derived.kind == Derived::Kind::Copy || derived.kind == Derived::Kind::Unique) return true;
    if (!std::ranges::all_of(derived.from, is_known)) return true;
  }
  return false;
}

Result<void> StepPlanner::plan(const Step& step, const Item& key_fields, const Before& before) {
  switch (step.kind) {
    case Step::Kind::Put:
      return put(step, key_fields, before);
    case Step::Kind::Delete:
      return remove(step, key_fields, before);
    case Step::Kind::Check: {
      TAVOLA_TRY(const Item key, key_of(*call_.design, entity_of(step), key_fields));
      TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Check, key));
      return add_causes(step, step.exists.value_or(true), before, *write);
    }
    default:
      break;
  }
  TAVOLA_TRY(Wish wish, wish_of(step, key_fields));
  if (!before.looked) return update_blindly(step, std::move(wish));
  if (before.stored) return update_knowing(step, wish, *before.stored);
  return fail(refused(step.otherwise.empty() ? "NOT_FOUND" : step.otherwise,
                      "there is no " + step.entity.text + " " + to_json(key_fields)));
}

Result<void> StepPlanner::put(const Step& step, const Item& key_fields, const Before& before) {
  const Entity& entity = entity_of(step);
  Item fields = key_fields;
  for (const Assignment* assignment : assignments(step)) {
    const Item* stored = before.stored ? &before.stored->fields : nullptr;
    TAVOLA_TRY(const std::optional<Value> value, assignment->value.value(inputs(stored)));
    if (value) TAVOLA_CHECK(assign_computed(entity, *assignment, *value, fields));
  }
  TAVOLA_TRY(fields, complete(entity, std::move(fields), Occasion::Creation, call_.moment));
  FieldNames consulted = consequential_fields(*call_.design, entity);
  for (const Attribute& field : entity.fields) {
    if (!before.stored || field.automatic != Attribute::Auto::Create) continue;
    const auto created = before.stored->fields.find(field.name);
    if (created != before.stored->fields.end()) fields[field.name] = created->second;
    consulted.insert(field.name);
  }
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, fields));
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Put, key));
  TAVOLA_TRY(write->item, to_item(*call_.design, entity, fields));
  if (step.exists) {
    TAVOLA_CHECK(add_causes(step, *step.exists, before, *write));
  } else {
    TAVOLA_CHECK(add_requirements(step, before, *write));
  }
  if (before.looked) add_guard(entity, consulted, before.stored, *write);
  const Item* const old_fields = before.stored ? &before.stored->fields : nullptr;
  TAVOLA_CHECK(add_consequences(call_, entity, old_fields, &fields, writes_));
  remember(step, fields);
  return {};
}

Result<void> StepPlanner::update_blindly(const Step& step, Wish wish) {
  const Entity& entity = entity_of(step);
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, wish.known));
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Update, key));
  TAVOLA_CHECK(add_causes(step, step.exists.value_or(true), {}, *write));
  const std::vector<Derived> affected =
      affected_by(wish.changed, derived_of(*call_.design, entity, wish.known));
  for (const std::string& field : wish.changed) {
    const Attribute* form = entity.find_field(field);
    if (form == nullptr || !form->stored) continue;
    if (wish.removed.contains(field)) {
      write->remove(field);
    } else if (const auto found = wish.known.find(field); found != wish.known.end()) {
      write->set_value(field, found->second);
    }
  }
  for (const Assignment* assignment : wish.remote) {
    TAVOLA_TRY(std::string operand, assignment->value.lower(inputs(), write->parts));
    write->set_operand(assignment->field, std::move(operand));
  }
  for (const Derived& derived : affected) TAVOLA_CHECK(set_affected(step, derived, wish, *write));
  remember(step, wish.known);
  if (!step.as.empty()) partly_known_[step.as] = key;
  return {};
}

Result<std::optional<Value>> StepPlanner::key_attribute(const Entity& entity, const std::string& attribute,
                                                        const Item& known) const {
  for (const IndexEntry& entry : entity.indexes) {
    const Index& index = *call_.design->find_index(entry.index);
    // Beside the key of a state, which is always there, the hash stands for itself; the state need not be known.
    if (index.hash.name != attribute || !entry.range || entry.range->from) continue;
    if (entry.when) {
      TAVOLA_TRY(const bool there, entry.when->holds(inputs(&known)));
      if (!there) return std::optional<Value>();
    }
    return entry.hash.from->render(known, entity.forms(), index.hash.type);
  }
  TAVOLA_TRY(const Item keys, index_keys_of(*call_.design, entity, known));
  const auto found = keys.find(attribute);
  return found == keys.end() ? std::optional<Value>() : std::optional<Value>(found->second);
}

Result<void> StepPlanner::set_affected(const Step& step, const Derived& derived, Wish& wish,
                                       PendingWrite& write) const {
  const Entity& entity = entity_of(step);
  const auto set_or_remove = [&write](const std::string& attribute, const std::optional<Value>& value) {
    if (value) {
      write.set_value(attribute, *value);
    } else {
      write.remove(attribute);
    }
  };
  const Attribute* field = entity.find_field(derived.name);
  if (derived.kind == Derived::Kind::Field) {
    std::optional<Value> value;
    if (field->value) {
      TAVOLA_TRY(value, field->value->render(wish.known, entity.forms(),
                                             stored_type(field->type).value_or(Type::String)));
    } else {
      TAVOLA_TRY(value, field->derive->value(inputs(&wish.known)));
      if (value) {
        TAVOLA_TRY(value, accept_computed(*field, *field->derive, *value));
      }
    }
    if (value) wish.known[field->name] = *value;
    set_or_remove(field->name, value);
  } else if (derived.kind == Derived::Kind::Presence) {
    TAVOLA_TRY(const bool there, field->when->holds(inputs(&wish.known)));
    const bool given = wish.known.contains(field->name);
    if (there && !given) {
      return fail(
          Error::validation(entity.name + "." + field->name + " is required when " + field->when->text()));
    }
    if (!there && given) {
      return fail(
          Error::validation(entity.name + "." + field->name + " is there only when " + field->when->text()));
    }
    if (!there) set_or_remove(field->name, std::nullopt);
  } else {
    // An index key that is a field of its own was set as such.
    if (field != nullptr && field->stored) return {};
    TAVOLA_TRY(const std::optional<Value> value, key_attribute(entity, derived.name, wish.known));
    set_or_remove(derived.name, value);
  }
  return {};
}

Result<void> StepPlanner::update_knowing(const Step& step, const Wish& wish, const Stored& stored) {
  const Entity& entity = entity_of(step);
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, wish.known));
  const PendingWrite* const pending = writes_.find(key);
  if (pending != nullptr && pending->of_step) {
    return fail(Error::validation("two steps would write the same item, " + to_json(key) +
                                  ", and one of them must know what is stored; make one step of them"));
  }
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Update, key));
  TAVOLA_CHECK(add_causes(step, step.exists.value_or(true), {true, stored}, *write));
  Item fields = stored.fields;
  for (const std::string& field : wish.removed) fields.erase(field);
  for (const auto& [field, value] : wish.known) fields[field] = value;
  FieldNames consulted;
  for (const Assignment* assignment : wish.remote) {
    TAVOLA_TRY(const std::optional<Value> value, assignment->value.value(inputs(&stored.fields)));
    if (value) TAVOLA_CHECK(assign_computed(entity, *assignment, *value, fields));
    consulted.merge(fields_read(assignment->value));
  }
  for (const Attribute& field : entity.fields) {
    if (!field.when || wish.known.contains(field.name)) continue;
    TAVOLA_TRY(const bool there, field.when->holds(inputs(&fields)));
    if (!there) fields.erase(field.name);
  }
  TAVOLA_TRY(fields, complete(entity, std::move(fields), occasion_of(step), call_.moment));
  TAVOLA_TRY(const Item item, to_item(*call_.design, entity, fields));
  const std::vector<Derived> affected =
      affected_by(wish.changed, derived_of(*call_.design, entity, wish.known));
  // What the step is about is written even when it stays the same: somebody may be changing it.
  FieldNames touched = wish.changed;
  for (const Derived& derived : affected) touched.insert(derived.name);
  for (const auto& [attribute, value] : item) {
    const auto old_value = stored.item.find(attribute);
    const bool is_new = old_value == stored.item.end() || old_value->second != value;
    if (is_new || (touched.contains(attribute) && !key.contains(attribute)))
      write->set_value(attribute, value);
  }
  for (const auto& [attribute, value] : stored.item) {
    if (!item.contains(attribute)) write->remove(attribute);
  }
  for (const Derived& derived : affected) {
    consulted.insert(derived.from.begin(), derived.from.end());
    const bool is_attribute = derived.kind != Derived::Kind::Copy && derived.kind != Derived::Kind::Unique;
    if (is_attribute && !item.contains(derived.name)) write->remove(derived.name);
  }
  const FieldNames consequential = consequential_fields(*call_.design, entity);
  for (const auto& [field, value] : wish.known) {
    // What is overwritten whatever it was need not be as it was, unless something is computed from its old value.
    if (!consequential.contains(field)) consulted.erase(field);
  }
  add_guard(entity, consulted, stored, *write);
  TAVOLA_CHECK(add_consequences(call_, entity, &stored.fields, &fields, writes_));
  remember(step, fields);
  return {};
}

Result<void> StepPlanner::remove(const Step& step, const Item& key_fields, const Before& before) {
  const Entity& entity = entity_of(step);
  const bool exists = step.exists.value_or(step.element.empty());
  if (before.looked && !before.stored && exists) {
    return fail(refused(step.otherwise.empty() ? "NOT_FOUND" : step.otherwise,
                        "there is no " + entity.name + " " + to_json(key_fields)));
  }
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, key_fields));
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Delete, key));
  if (exists) TAVOLA_CHECK(add_causes(step, true, before, *write));
  if (!before.looked) return {};
  if (before.stored && !before.stored->item.empty()) {
    FieldNames consulted = consequential_fields(*call_.design, entity);
    consulted.merge(counted_fields(*call_.design, entity));
    if (!consulted.empty()) {
      // Of `each`: an index may not have all of the item.
      if (!step.element.empty())
        std::erase_if(consulted, [&](const auto& field) { return !before.stored->fields.contains(field); });
      add_unchanged(*call_.design, entity, consulted, before.stored->item, *write);
    }
  }
  if (before.stored) {
    TAVOLA_CHECK(add_consequences(call_, entity, &before.stored->fields, nullptr, writes_));
    remember(step, before.stored->fields);
  }
  return {};
}

// The conditions of a step, those that tell most first. What is already known to fail fails at once.
Result<void> StepPlanner::add_causes(const Step& step, bool exists, const Before& before,
                                     PendingWrite& write) const {
  const std::string usual = exists ? "NOT_FOUND" : "ALREADY_EXISTS";
  const std::string reason =
      (exists ? "there is no " : "there is already a ") + step.entity.text + " " + to_json(write.key);
  const std::string name = step.otherwise.empty() ? usual : step.otherwise;
  if (before.looked && before.stored.has_value() != exists) return fail(refused(name, reason));
  write.causes.push_back({.kind = Cause::Kind::Refusal,
                          .name = name,
                          .reason = reason,
                          .condition = exists ? exists_condition(call_.design->table, write.parts)
                                              : absent_condition(call_.design->table, write.parts)});
  if (step.kind == Step::Kind::Transition) TAVOLA_CHECK(add_state(step, before, write));
  return add_requirements(step, before, write);
}

Result<void> StepPlanner::add_requirements(const Step& step, const Before& before,
                                           PendingWrite& write) const {
  for (const Requirement& requirement : step.require) {
    std::string name = requirement.otherwise.empty() ? step.otherwise : requirement.otherwise;
    if (name.empty()) name = "REFUSED";
    const std::string reason = requirement.that.text() + " does not hold";
    // What is about parameters alone is decided here; of the stored item the database has the last word.
    const bool about_stored = reads_fields(requirement.that);
    if (before.stored || !about_stored) {
      const Item* const fields = before.stored ? &before.stored->fields : nullptr;
      TAVOLA_TRY(const bool holds, requirement.that.holds(inputs(fields)));
      if (!holds) return fail(refused(name, reason));
    }
    if (!about_stored) continue;
    TAVOLA_TRY(std::string condition, requirement.that.lower(inputs(), write.parts));
    write.causes.push_back({Cause::Kind::Refusal, name, reason, std::move(condition)});
  }
  return {};
}

Result<void> StepPlanner::add_state(const Step& step, const Before& before, PendingWrite& write) const {
  const Entity& entity = entity_of(step);
  const Transition& transition = *entity.find_transition(step.transition.text);
  const Lifecycle& lifecycle = *lifecycle_of(entity, transition);
  const std::string attribute = attribute_of(*call_.design, entity, lifecycle.field());
  const std::string name = write.parts.name(attribute);
  std::string condition;
  std::string states;
  for (const Word& from : transition.from) {
    const State& state = *lifecycle.find_state(from.text);
    condition += condition.empty() ? "" : " OR ";
    states += (states.empty() ? "" : " or ") + state.name;
    if (!lifecycle.attribute.empty() || !state.key || state.key->is_literal()) {
      condition +=
          name + " = " +
          write.parts.value(lifecycle.attribute.empty() && state.key ? state.key->text() : state.name);
    } else {
      condition += "begins_with(" + name + ", " + write.parts.value(state.key->prefix()) + ")";
    }
    if (lifecycle.attribute.empty() && &state == &lifecycle.initial()) {
      condition += " OR attribute_not_exists(" + name + ")";
    }
  }
  const std::string refusal = step.otherwise.empty() ? "WRONG_STATE" : step.otherwise;
  const std::string reason = lifecycle.name + ": " + transition.name + " is possible from " + states;
  if (before.stored) {
    const auto state = before.stored->fields.find(lifecycle.field());
    const bool allowed =
        state != before.stored->fields.end() && std::ranges::any_of(transition.from, [&](const Word& from) {
          return state->second == Value(from.text);
        });
    if (!allowed && state != before.stored->fields.end()) return fail(refused(refusal, reason));
  }
  write.causes.push_back({Cause::Kind::Refusal, refusal, reason, std::move(condition)});
  return add_needs(step, before, write);
}

// What a transition needs is given by it or the step, or is stored.
Result<void> StepPlanner::add_needs(const Step& step, const Before& before, PendingWrite& write) const {
  const Transition& transition = *entity_of(step).find_transition(step.transition.text);
  const std::vector<const Assignment*> all = assignments(step);
  for (const Word& needed : transition.require) {
    const auto assigned = std::ranges::find(all, needed.text, &Assignment::field);
    if (assigned != all.end()) {
      const Item* const fields = before.stored ? &before.stored->fields : nullptr;
      TAVOLA_TRY(const std::optional<Value> value, (*assigned)->value.value(inputs(fields)));
      if (value || (!before.looked && reads_fields((*assigned)->value))) continue;
    }
    const std::string refusal = step.otherwise.empty() ? "REFUSED" : step.otherwise;
    const std::string reason = transition.name + " needs " + needed.text;
    if (before.stored && !before.stored->fields.contains(needed.text)) return fail(refused(refusal, reason));
    write.causes.push_back(
        {Cause::Kind::Refusal, refusal, reason, "attribute_exists(" + write.parts.name(needed.text) + ")"});
  }
  return {};
}

void StepPlanner::add_guard(const Entity& entity, const FieldNames& consulted,
                            const std::optional<Stored>& stored, PendingWrite& write) const {
  if (stored && consulted.empty()) return;
  add_unchanged(*call_.design, entity, consulted, stored ? std::optional<Item>(stored->item) : std::nullopt,
                write);
}

}  // namespace tavola::design
