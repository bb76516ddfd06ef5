#include <algorithm>

#include "design/language/reading.h"
#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/nearest.h"

namespace tavola::design {
namespace {

// A state that is the sort key of an index must be declared so by the index.
void check_index(const Design& design, const Entity& entity, const Lifecycle& lifecycle, Problems& problems) {
  const Index* index = design.find_index(lifecycle.index);
  if (index == nullptr) {
    return refuse_unknown("lifecycle-place", {lifecycle.index, lifecycle.in_at}, "the index",
                          names_of(design.indexes), problems);
  }
  const IndexEntry* entry = entity.find_index(lifecycle.index);
  if (entry == nullptr || !entry->range || entry->range->lifecycle != lifecycle.name) {
    problems.error(
        "lifecycle-place", lifecycle.in_at,
        "the sort key of `" + lifecycle.index + "` is not the state of `" + lifecycle.name + "`",
        "Write `range: lifecycle(" + lifecycle.name + ")` in the entity's `index." + lifecycle.index + "`.");
  }
  for (const State& state : lifecycle.states) {
    if (!state.key) {
      problems.error("missing-key", state.at, "the state `" + state.name + "` has no `key`",
                     "Add `key`: it represents the state in the index.");
    }
  }
}

void check_attribute(const Entity& entity, const Lifecycle& lifecycle, Problems& problems) {
  const Attribute* field = entity.find_field(lifecycle.attribute);
  if (field == nullptr) {
    problems.error("lifecycle-place", lifecycle.in_at,
                   "`" + entity.name + "` has no field `" + lifecycle.attribute + "`",
                   did_you_mean(lifecycle.attribute, field_names(entity),
                                "Name an attribute, or INDEX.range for the sort key of an index."));
    return;
  }
  if (field->sensitive) {
    problems.error("sensitive-key", lifecycle.in_at,
                   "`" + field->name + "` is sensitive, and holds the states of `" + lifecycle.name + "`",
                   "Keep what is secret in another field.");
  }
  if (field->values.empty()) return;
  for (const State& state : lifecycle.states) {
    if (std::ranges::find(field->values, state.name) == field->values.end()) {
      refuse_unknown("unknown-state", {state.name, state.at},
                     "among the values of `" + field->name + "`, the state", field->values, problems);
    }
  }
}

void check_states(const Entity& entity, const Lifecycle& lifecycle, Problems& problems) {
  if (lifecycle.states.empty()) {
    problems.error("missing-key", lifecycle.at, "`" + lifecycle.name + "` has no states",
                   "Add some to `states`.");
  }
  if (std::ranges::count(lifecycle.states, true, &State::initial) > 1) {
    problems.error("duplicate-name", lifecycle.at, "`" + lifecycle.name + "` has two initial states",
                   "Mark one of them.");
  }
  for (std::size_t i = 0; i < lifecycle.states.size(); ++i) {
    const State& state = lifecycle.states[i];
    if (!state.key) continue;
    require_key_fields(entity, *state.key, state.at, problems);
    for (std::size_t j = 0; j < i; ++j) {
      const State& other = lifecycle.states[j];
      if (other.key && state.key->overlaps(*other.key, entity.forms(), entity.forms())) {
        problems.error("overlapping-states", state.at,
                       "one key can belong to `" + state.name + "` and to `" + other.name + "`",
                       "Begin their keys with different words.");
      }
    }
  }
}

// Returns whether the field certainly exists after the transition.
bool is_sure(const Entity& entity, const Transition& transition, const std::string& name) {
  if (assigns(transition.set, name)) return true;
  if (std::ranges::find(transition.require, name, &Word::text) != transition.require.end()) return true;
  const Attribute* field = entity.find_field(name);
  if (field == nullptr || field->required || field->is_computed()) return true;
  return std::ranges::count(entity.key_fields(), name) > 0;
}

void require_state(const Lifecycle& lifecycle, const Word& state, Problems& problems) {
  if (lifecycle.find_state(state.text) == nullptr)
    refuse_unknown("unknown-state", state, "the state", names_of(lifecycle.states), problems);
}

void check_transition(const Entity& entity, const Lifecycle& lifecycle, const Transition& transition,
                      Problems& problems) {
  for (const Word& from : transition.from) {
    require_state(lifecycle, from, problems);
    const State* state = lifecycle.find_state(from.text);
    if (state != nullptr && state->terminal) {
      problems.error("unknown-state", from.at, "`" + from.text + "` is terminal, and has no transitions",
                     "Leave out `terminal`, or the transition.");
    }
  }
  require_state(lifecycle, transition.to, problems);
  for (const Word& field : transition.require) require_field(entity, field, problems);
  for (const Assignment& set : transition.set) {
    require_field(entity, {set.field, set.at}, problems);
    require_suitable(entity, set, problems);
  }
  const State* to = lifecycle.find_state(transition.to.text);
  if (to == nullptr || !to->key) return;
  for (const std::string& field : to->key->fields()) {
    if (!is_sure(entity, transition, field)) {
      problems.error(
          "transition-key", transition.at,
          "the key of `" + to->name + "` needs `" + field + "`, which `" + transition.name + "` does not set",
          "Add it to `set`, or to `require`.");
    }
  }
}

}  // namespace

void validate_lifecycles(const Design& design, Problems& problems) {
  for (const Entity& entity : design.entities) {
    for (const Lifecycle& lifecycle : entity.lifecycles) {
      if (lifecycle.attribute.empty()) {
        check_index(design, entity, lifecycle, problems);
      } else {
        check_attribute(entity, lifecycle, problems);
      }
      check_states(entity, lifecycle, problems);
      for (const Transition& transition : lifecycle.transitions)
        check_transition(entity, lifecycle, transition, problems);
    }
  }
}

}  // namespace tavola::design
