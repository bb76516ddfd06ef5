#include "design/requests/step_plan.h"

#include <algorithm>
#include <memory>

#include "base/assert.h"
#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/model/arguments.h"
#include "design/model/key_templates.h"
#include "design/model/placeholder_text.h"
#include "design/model/plain_json.h"
#include "design/model/timestamps.h"
#include "design/requests/consequences.h"
#include "design/requests/unchanged.h"

namespace tavola::design {
namespace {

bool is_automatic(const Attribute& field, Step::Kind kind) {
  return field.automatic == Attribute::Auto::Update ||
         (field.automatic == Attribute::Auto::Transition && kind == Step::Kind::Transition);
}

// Returns the counters that the entity holds: a delete must not miss concurrent increments.
FieldNames counted_fields(const Design& design, const Entity& entity) {
  FieldNames fields;
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
    if (!copy.count.empty()) fields.insert(copy.count);
    for (const Assignment& sum : copy.sum) fields.insert(sum.field);
  }
  return fields;
}

// The database computes a time as a number, whatever the field's type.
bool needs_conversion(const Entity& entity, const Assignment& assignment) {
  const Attribute* field = entity.find_field(assignment.field);
  return field != nullptr && field->type.is_timestamp() &&
         field->type.kind != AttributeType::Kind::TimestampMs && assignment.value.gives_moment();
}

}  // namespace

const Lifecycle& lifecycle_of(const Entity& entity, const Transition& transition) {
  const auto has_it = [&transition](const Lifecycle& lifecycle) {
    return std::ranges::any_of(lifecycle.transitions,
                               [&](const Transition& each) { return &each == &transition; });
  };
  const auto found = std::ranges::find_if(entity.lifecycles, has_it);
  TAVOLA_ASSERT(found != entity.lifecycles.end());
  return *found;
}

FieldNames consequential_fields(const Design& design, const Entity& entity) {
  FieldNames fields;
  for (const Derived& derived : derived_of(design, entity, {})) {
    if (is_elsewhere(derived.kind)) {
      fields.insert(derived.from.begin(), derived.from.end());
    }
  }
  return fields;
}

FieldNames distinguishing_fields(const Design& design, const Entity& entity) {
  FieldNames fields;
  for (const Attribute& field : entity.fields) {
    const bool is_owner =
        std::ranges::any_of(design.roles, [&](const Role& role) { return role.own == field.name; });
    if ((field.immutable && field.automatic == Attribute::Auto::No) || is_owner) fields.insert(field.name);
  }
  return fields;
}

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

expr::RuleInputs StepPlanner::inputs(const Item* fields) const {
  return call_.ambient.with({.fields = fields, .parameters = &call_.parameters, .others = &others_});
}

// Returns whether the rule reads the step's own entity, and not only parameters and others.
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
    // In an `each`, missing key fields come from the element.
    if (!value && !step.element.empty() && element != others_.end()) {
      const auto found = element->second.find(assignment.field);
      if (found != element->second.end()) value = found->second;
    }
    const bool is_only_day =
        value && value->is_string() && is_day(value->string()) && is_shown_as_day(entity, assignment.field);
    if (is_only_day) {
      fields[assignment.field] = *value;
    } else if (value) {
      TAVOLA_CHECK(assign_computed(entity, assignment, *value, fields));
    }
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

// Returns the assignments of the transition, then those of the step, which take precedence.
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

// Null in place of a value removes the field. Only `take` and assignments of its form, `name: :name`, can do that.
Result<bool> StepPlanner::is_taken_away(const Step& step, const Assignment& assignment) const {
  if (step.kind != Step::Kind::Update || assignment.value.text() != ":" + assignment.field) return false;
  const auto given = call_.given.find(assignment.field);
  if (given == call_.given.end() || !given->second.is_null()) return false;
  const Attribute* const field = entity_of(step).find_field(assignment.field);
  if (field == nullptr || !field->required) return true;
  return fail(Error(ErrorCode::Validation, field->name + " is required, and cannot be removed",
                    std::make_shared<BadParameter>(field->name)));
}

Result<Wish> StepPlanner::wish_of(const Step& step, const Item& key_fields) const {
  const Entity& entity = entity_of(step);
  Wish wish{.known = key_fields, .key_fields = key_fields, .remote = {}, .changed = {}, .removed = {}};
  std::erase_if(wish.known, [&](const auto& field) { return is_shown_as_day(entity, field.first); });
  for (const Assignment* assignment : assignments(step)) {
    if (reads_fields(assignment->value)) {
      wish.remote.push_back(assignment);
      wish.changed.insert(assignment->field);
      continue;
    }
    TAVOLA_TRY(const std::optional<Value> value, assignment->value.value(inputs()));
    if (!value) {  // a field without a value stays unchanged
      TAVOLA_TRY(const bool taken_away, is_taken_away(step, *assignment));
      if (!taken_away) continue;
      wish.removed.insert(assignment->field);
      wish.changed.insert(assignment->field);
      continue;
    }
    TAVOLA_CHECK(assign_computed(entity, *assignment, *value, wish.known));
    wish.changed.insert(assignment->field);
  }
  if (step.kind == Step::Kind::Transition) {
    const Transition& transition = *entity.find_transition(step.transition.text);
    const std::string& field = lifecycle_of(entity, transition).field();
    wish.known[field] = transition.to.text;
    wish.changed.insert(field);
  }
  for (const Attribute& field : entity.fields) {
    if (!is_automatic(field, step.kind)) continue;
    wish.known[field.name] = write_moment(field.type, call_.ambient.now);
    wish.changed.insert(field.name);
  }
  for (const Word& word : step.remove) {
    wish.known.erase(word.text);
    wish.removed.insert(word.text);
    wish.changed.insert(word.text);
  }
  return wish;
}

// Returns whether the operation uses more of the written item than the step knows: in later steps, or in the record of
// its result.
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
      // A key with a part that is still to be generated is that of a new item.
      if (step.returns_existing) return key_of(*call_.design, entity, key_fields).has_value();
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
  // Values from items that are still to be read may change, too.
  for (const Assignment* assignment : assignments(step)) {
    if (!assignment->value.paths().empty()) wish.changed.insert(assignment->field);
  }
  const auto is_known = [&wish](const std::string& field) {
    return wish.known.contains(field) || wish.removed.contains(field);
  };
  for (const Derived& derived : affected_by(wish.changed, derived_of(*call_.design, entity, wish.known))) {
    if (is_elsewhere(derived.kind)) return true;
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
  return fail(missing(step.otherwise.empty() ? "NOT_FOUND" : step.otherwise,
                      "there is no " + step.entity.text + " " + to_plain_json(key_fields)));
}

Result<void> StepPlanner::put(const Step& step, const Item& key_fields, const Before& before) {
  const Entity& entity = entity_of(step);
  Item fields = key_fields;
  for (const Assignment* assignment : assignments(step)) {
    const Item* stored = before.stored ? &before.stored->fields : nullptr;
    TAVOLA_TRY(const std::optional<Value> value, assignment->value.value(inputs(stored)));
    if (value) TAVOLA_CHECK(assign_computed(entity, *assignment, *value, fields));
  }
  FieldNames given;
  for (const auto& [field, value] : fields) given.insert(field);
  TAVOLA_TRY(fields, complete(entity, std::move(fields), Occasion::Creation, call_.ambient));
  if (step.returns_existing && before.stored) {
    std::erase_if(fields, [&given](const auto& field) { return !given.contains(field.first); });
    return return_existing(step, fields, *before.stored);
  }
  FieldNames consulted = consequential_fields(*call_.design, entity);
  for (const Attribute& field : entity.fields) {
    if (!before.stored || field.automatic != Attribute::Auto::Create) continue;
    const auto created = before.stored->fields.find(field.name);
    if (created != before.stored->fields.end()) fields[field.name] = created->second;
    consulted.insert(field.name);
  }
  TAVOLA_CHECK(check_rules(*call_.design, entity, fields));
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, fields));
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Put, key));
  TAVOLA_TRY(write->item, to_item(*call_.design, entity, fields));
  // If another call creates the item concurrently, the operation is planned again, and finds it.
  if (step.exists && !(step.returns_existing && before.looked)) {
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

// Takes the item that exists as the result, unless it is another one under the same key. `wanted` are the fields that the
// step gives.
Result<void> StepPlanner::return_existing(const Step& step, const Item& wanted, const Stored& stored) {
  const Entity& entity = entity_of(step);
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, wanted));
  const auto refuse = [&](const std::string& why) {
    return fail(refused(step.otherwise.empty() ? "ALREADY_EXISTS" : step.otherwise,
                        "there is already a " + entity.name + " " + to_plain_json(key) + ", " + why));
  };
  if (decode(*call_.design, stored.item).entity != &entity) return refuse("which is of another kind");
  if (is_softly_deleted(*call_.design, entity, stored.item)) return refuse("which is deleted");
  for (const std::string& name : distinguishing_fields(*call_.design, entity)) {
    const auto field = wanted.find(name);
    if (field == wanted.end()) continue;
    const auto found = stored.fields.find(name);
    if (found == stored.fields.end() || found->second != field->second) return refuse("with another " + name);
  }
  existing_ = stored.fields;
  return {};
}

Result<void> StepPlanner::remove(const Step& step, const Item& key_fields, const Before& before) {
  const Entity& entity = entity_of(step);
  const bool exists = step.exists.value_or(step.element.empty());
  if (before.looked && !before.stored && exists) {
    return fail(missing(step.otherwise.empty() ? "NOT_FOUND" : step.otherwise,
                        "there is no " + entity.name + " " + to_plain_json(key_fields)));
  }
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, key_fields));
  TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Delete, key));
  if (exists) TAVOLA_CHECK(add_causes(step, true, before, *write));
  if (!before.looked) return {};
  if (before.stored && !before.stored->item.empty()) {
    FieldNames consulted = consequential_fields(*call_.design, entity);
    consulted.merge(counted_fields(*call_.design, entity));
    if (!consulted.empty()) {
      // In an `each`, the index may not hold the whole item.
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

}  // namespace tavola::design
