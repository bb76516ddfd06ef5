#include "design/rules/lifecycle_rule.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/joined.h"
#include "design/items/entity_item.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/model/refusal.h"

namespace tavola::design {
namespace {

constexpr std::string_view kHowToImport =
    "; `tavola load` and `tavola copy` bring in items that exist already, and so may a role with `import: "
    "true`";

// One lifecycle in one change.
class LifecycleRule {
 public:
  LifecycleRule(EntityChange& change, const Lifecycle& lifecycle) : change_(change), lifecycle_(lifecycle) {}

  Result<bool> run();

 private:
  const std::string& attribute() const { return state_attribute(change_.design, lifecycle_); }
  bool is_asked_for() const { return change_.asked != nullptr && change_.asked->assigns(attribute()); }
  // Returns whether the value is the client's own, which a transition does not replace.
  bool is_sent(const std::string& field) const { return in_key_.contains(field) || change_.is_sent(field); }
  // Returns whether the request itself gives the field a value, and not an earlier one.
  bool is_given(const std::string& field) const;
  // Refuses a new value of a field that the transition into the state writes into its key (PROGRESS#<last_crawled_start>): the write
  // would repeat the transition, or take over what somebody else has.
  Result<void> stay(const Value& held) const;
  // Enters the state in which the item is.
  Result<void> enter_again(const Value& held);
  // Returns whether the condition of the update holds in this state and in no other.
  bool demands(const State& held) const;
  // Takes the fields from the key of a state that a client wrote.
  Result<void> take_key(const Value& key);
  // Returns the first transition between the states that sets just what the client has set, otherwise the first one.
  const Transition* chosen_transition(const Value& from, const Value& to) const;
  Result<void> move(const Transition* chosen, const Value& from, const Value& to);
  std::string allowed_from(const Value& from, const Value& to) const;
  Error no_transition(const std::string& message) const;

  EntityChange& change_;
  const Lifecycle& lifecycle_;
  FieldNames in_key_;  // the fields that the client's key of the state holds
};

Result<bool> LifecycleRule::run() {
  const std::string& field = lifecycle_.field();
  const Value* const key = find_value(change_.after, attribute());
  const bool is_asked = is_asked_for();
  const bool is_key_new = is_asked || !change_.before || !same(key, find_value(change_.before, attribute()));
  if (lifecycle_.attribute.empty() && key != nullptr && is_key_new) TAVOLA_CHECK(take_key(*key));
  const Value* const old_state = change_.old_value(field);
  if (find_value(change_.fields, field) == nullptr) {
    // Left out: a put says all of an item, but its state is not given up by silence.
    change_.fields[field] = old_state != nullptr ? *old_state : Value(lifecycle_.initial().name);
  }
  const Value state = change_.fields[field];
  if (same(&state, old_state)) {
    TAVOLA_CHECK(is_asked ? enter_again(state) : stay(state));
    return is_asked;
  }
  if (old_state != nullptr) {
    TAVOLA_CHECK(move(chosen_transition(*old_state, state), *old_state, state));
    return true;
  }
  if (state == Value(lifecycle_.initial().name)) return false;
  const bool is_known = state.is_string() && lifecycle_.find_state(state.string()) != nullptr;
  if (is_known && change_.ambient.may_import) return false;
  return fail(no_transition(lifecycle_.name + " begins as " + lifecycle_.initial().name + " (was " +
                            to_plain_json(state) + ")" + (is_known ? std::string(kHowToImport) : "")));
}

bool LifecycleRule::is_given(const std::string& field) const {
  if (in_key_.contains(field)) return true;
  return change_.asked != nullptr ? change_.asked->assigns(field)
                                  : find_value(change_.after, field) != nullptr;
}

Result<void> LifecycleRule::stay(const Value& held) const {
  const State* const state = held.is_string() ? lifecycle_.find_state(held.string()) : nullptr;
  if (state == nullptr || !state->key || state->again) return {};
  const std::vector<std::string> in_key = state->key->fields();
  for (const Transition& transition : lifecycle_.transitions) {
    if (transition.to.text != state->name) continue;
    const bool again = std::ranges::any_of(transition.set, [&](const Assignment& assignment) {
      return std::ranges::find(in_key, assignment.field) != in_key.end() &&
             find_value(change_.fields, assignment.field) != nullptr && change_.is_changed(assignment.field);
    });
    if (again && chosen_transition(held, held) == nullptr) {
      return fail(no_transition(allowed_from(held, held)));
    }
  }
  return {};
}

Result<void> LifecycleRule::enter_again(const Value& held) {
  const State* const state = held.is_string() ? lifecycle_.find_state(held.string()) : nullptr;
  if (state == nullptr) return fail(no_transition(allowed_from(held, held)));
  const Transition* const chosen = chosen_transition(held, held);
  if (state->again && chosen == nullptr) return {};
  if (chosen != nullptr && !state->again && !demands(*state)) {
    return fail(no_transition(lifecycle_.name + " is " + to_plain_json(held) + " already; " + chosen->name +
                              " needs a condition that the item is in this state"));
  }
  return move(chosen, held, held);
}

bool LifecycleRule::demands(const State& held) const {
  if (!change_.before) return false;
  return std::ranges::none_of(lifecycle_.states, [&](const State& other) {
    if (&other == &held) return false;
    Item item = *change_.before;
    Value& holder = item[attribute()];
    holder = other.name;
    if (lifecycle_.attribute.empty() && other.key) {
      const auto key = other.key->render(change_.fields, change_.entity.forms(), Type::String);
      holder = key && *key ? **key : Value(other.key->prefix());
    }
    const Result<PackedItem> packed = pack(item);
    return !packed || change_.asked->would_hold(packed->view());
  });
}

Result<void> LifecycleRule::take_key(const Value& key) {
  for (const State& state : lifecycle_.states) {
    if (!state.key) continue;
    const std::optional<Item> parts = state.key->read(key, change_.entity.forms());
    if (!parts) continue;
    for (const auto& [name, value] : *parts) {
      const Attribute* field = change_.entity.find_field(name);
      if (change_.is_sent(name) && !same(find_value(change_.fields, name), &value)) {
        return fail(change_.refusal(*field, "is " + to_plain_json(change_.fields[name]) + ", and " +
                                                attribute() + " says " + to_plain_json(value)));
      }
      change_.fields[name] = value;
      in_key_.insert(name);
    }
    change_.fields[lifecycle_.name] = state.name;
    return {};
  }
  return fail(change_.refusal(change_.entity.name + ": " + attribute() + " is not a key of " +
                                  lifecycle_.name + " (was " + to_plain_json(key) + ")",
                              lifecycle_.at));
}

const Transition* LifecycleRule::chosen_transition(const Value& from, const Value& to) const {
  const Transition* first = nullptr;
  for (const Transition& transition : lifecycle_.transitions) {
    const bool fits =
        Value(transition.to.text) == to &&
        std::ranges::any_of(transition.from, [&](const Word& word) { return Value(word.text) == from; });
    const bool has_all =
        std::ranges::all_of(transition.require, [&](const Word& field) { return is_given(field.text); });
    if (!fits || !has_all) continue;
    const bool is_said = std::ranges::all_of(
        transition.set, [&](const Assignment& assignment) { return is_sent(assignment.field); });
    if (is_said && !transition.set.empty()) return &transition;
    if (first == nullptr) first = &transition;
  }
  return first;
}

Result<void> LifecycleRule::move(const Transition* chosen, const Value& from, const Value& to) {
  if (chosen == nullptr) return fail(no_transition(allowed_from(from, to)));
  for (const Assignment& assignment : chosen->set) {
    if (is_sent(assignment.field)) continue;
    TAVOLA_TRY(const std::optional<Value> value,
               assignment.value.value(change_.ambient.with({.fields = &change_.fields})));
    if (!value) continue;
    TAVOLA_TRY(change_.fields[assignment.field],
               accept_computed(*change_.entity.find_field(assignment.field), assignment.value, *value));
  }
  return {};
}

std::string LifecycleRule::allowed_from(const Value& from, const Value& to) const {
  std::string allowed;
  for (const Transition& transition : lifecycle_.transitions) {
    for (const Word& word : transition.from) {
      if (Value(word.text) != from) continue;
      allowed += (allowed.empty() ? "" : ", ") + transition.name + " to " + transition.to.text;
      const std::string needed = joined(transition.require, &Word::text);
      if (!needed.empty()) allowed += " with " + needed;
    }
  }
  return lifecycle_.name + " is " + to_plain_json(from) + " and cannot become " + to_plain_json(to) +
         "; possible: " + (allowed.empty() ? "nothing" : allowed);
}

Error LifecycleRule::no_transition(const std::string& message) const {
  return with_detail(refusal(change_.design, change_.entity.name + "." + message, lifecycle_.at,
                             ErrorCode::ConditionalCheckFailed),
                     std::make_shared<Violation>(kWrongState, lifecycle_.field()));
}

}  // namespace

const std::string& state_attribute(const Design& design, const Lifecycle& lifecycle) {
  if (!lifecycle.attribute.empty()) return lifecycle.attribute;
  const Index* const index = design.find_index(lifecycle.index);
  TAVOLA_ASSERT(index != nullptr && index->range.has_value());
  return index->range->name;
}

Result<bool> decide_state(EntityChange& change, const Lifecycle& lifecycle) {
  return LifecycleRule(change, lifecycle).run();
}

std::optional<std::int64_t> since_when(const Entity& entity, const State& state, const Item& fields) {
  const auto moment_in = [&](const Attribute& field) -> std::optional<std::int64_t> {
    const Value* const value = find_value(fields, field.name);
    const std::optional<WallTime> moment = value == nullptr ? std::nullopt : read_moment(field.type, *value);
    if (!moment) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(moment->time_since_epoch()).count();
  };
  if (state.key) {
    for (const std::string& name : state.key->fields()) {
      const Attribute* const field = entity.find_field(name);
      if (field != nullptr && field->type.is_timestamp()) return moment_in(*field);
    }
  }
  for (const Attribute::Auto automatic : {Attribute::Auto::Transition, Attribute::Auto::Update}) {
    const auto field = std::ranges::find(entity.fields, automatic, &Attribute::automatic);
    if (field != entity.fields.end()) return moment_in(*field);
  }
  return std::nullopt;
}

std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields) {
  std::optional<std::int64_t> earliest;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    const Value* const held = find_value(fields, lifecycle.field());
    const State* const state =
        held != nullptr && held->is_string() ? lifecycle.find_state(held->string()) : nullptr;
    if (state == nullptr || !state->stuck_after) continue;
    const std::optional<std::int64_t> since = since_when(entity, *state, fields);
    if (!since) continue;
    const std::int64_t due = *since + state->stuck_after->count();
    earliest = std::min(earliest.value_or(due), due);
  }
  return earliest;
}

}  // namespace tavola::design
