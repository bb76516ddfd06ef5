// The conditions of a step, and the meaning of each failure.
#include <algorithm>

#include "design/model/plain_json.h"
#include "design/requests/step_plan.h"
#include "design/requests/unchanged.h"

namespace tavola::design {
namespace {

// Returns the fields of a key, by which people know an item.
std::string shown_key(const Table& table, const Entity& entity, const Item& key) {
  Item fields;
  const auto read = [&](const Template& from, const std::string& attribute) {
    const auto found = key.find(attribute);
    if (found == key.end()) return;
    if (auto more = from.read(found->second, entity.forms())) fields.merge(*more);
  };
  read(entity.hash, table.hash.name);
  if (entity.range && table.range) read(*entity.range, table.range->name);
  return to_plain_json(fields);
}

}  // namespace

// Adds the conditions of a step, most informative first. Fails at once if one is already known to fail.
Result<void> StepPlanner::add_causes(const Step& step, bool exists, const Before& before,
                                     PendingWrite& write) const {
  const std::string usual = exists ? "NOT_FOUND" : "ALREADY_EXISTS";
  const std::string reason = (exists ? "there is no " : "there is already a ") + step.entity.text + " " +
                             shown_key(call_.design->table, entity_of(step), write.key);
  const std::string name = step.otherwise.empty() ? usual : step.otherwise;
  if (before.looked && before.stored.has_value() != exists)
    return fail(exists ? missing(name, reason) : refused(name, reason));
  write.causes.push_back({.kind = Cause::Kind::Refusal,
                          .name = name,
                          .reason = reason,
                          .condition = exists ? exists_condition(call_.design->table, write.parts)
                                              : absent_condition(call_.design->table, write.parts),
                          .is_missing = exists});
  if (step.kind == Step::Kind::Transition) TAVOLA_CHECK(add_state(step, before, write));
  return add_requirements(step, before, write);
}

Result<void> StepPlanner::add_requirements(const Step& step, const Before& before,
                                           PendingWrite& write) const {
  for (const Requirement& requirement : step.require) {
    std::string name = requirement.otherwise.empty() ? step.otherwise : requirement.otherwise;
    if (name.empty()) name = "REFUSED";
    const std::string reason = requirement.that.text() + " does not hold";
    // Conditions over parameters alone are decided here; those over the stored item are the database's.
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
  const Lifecycle& lifecycle = lifecycle_of(entity, transition);
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
  return check_needs(step, before);
}

// Checks that the transition or the step gives the fields that the transition needs: what an earlier one left does not count.
Result<void> StepPlanner::check_needs(const Step& step, const Before& before) const {
  const Transition& transition = *entity_of(step).find_transition(step.transition.text);
  const std::vector<const Assignment*> all = assignments(step);
  for (const Word& needed : transition.require) {
    const auto assigned = std::ranges::find(all, needed.text, &Assignment::field);
    if (assigned != all.end()) {
      const Item* const fields = before.stored ? &before.stored->fields : nullptr;
      TAVOLA_TRY(const std::optional<Value> value, (*assigned)->value.value(inputs(fields)));
      if (value || (!before.looked && reads_fields((*assigned)->value))) continue;
    }
    return fail(refused(step.otherwise.empty() ? "REFUSED" : step.otherwise,
                        transition.name + " needs " + needed.text));
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
