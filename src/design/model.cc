#include "design/model.h"

#include <algorithm>

namespace tavola::design {
namespace {

template <class T>
const T* find_named(const std::vector<T>& parts, std::string_view name, std::string T::* member = &T::name) {
  const auto found = std::ranges::find(parts, name, member);
  return found == parts.end() ? nullptr : &*found;
}

void add_fields(std::vector<std::string>& fields, const Template& pattern) {
  for (std::string& field : pattern.fields()) {
    if (std::ranges::find(fields, field) == fields.end()) fields.push_back(std::move(field));
  }
}

}  // namespace

const State* Lifecycle::find_state(std::string_view state) const { return find_named(states, state); }

const State& Lifecycle::initial() const {
  const auto marked = std::ranges::find(states, true, &State::initial);
  return marked == states.end() ? states.front() : *marked;
}

const Attribute* Entity::find_field(std::string_view field) const { return find_named(fields, field); }

const IndexEntry* Entity::find_index(std::string_view index) const {
  return find_named(indexes, index, &IndexEntry::index);
}

const Lifecycle* Entity::find_lifecycle(std::string_view lifecycle) const {
  return find_named(lifecycles, lifecycle);
}

const Transition* Entity::find_transition(std::string_view transition) const {
  for (const Lifecycle& lifecycle : lifecycles) {
    if (const Transition* const found = find_named(lifecycle.transitions, transition)) return found;
  }
  return nullptr;
}

std::vector<std::string> Entity::key_fields() const {
  std::vector<std::string> names;
  add_fields(names, hash);
  if (range) add_fields(names, *range);
  return names;
}

// What a template or a format gives holds '#' by design, so such a field is raw without saying so. A name that is no field
// is a text.
FieldForms Entity::forms() const {
  return [this](std::string_view field) {
    const Attribute* const found = find_field(field);
    if (found == nullptr) return FieldForm{};
    return FieldForm{found->type, found->raw || found->format || found->value};
  };
}

const Index* Design::find_index(std::string_view index) const { return find_named(indexes, index); }
const Entity* Design::find_entity(std::string_view entity) const { return find_named(entities, entity); }
const Pattern* Design::find_pattern(std::string_view pattern) const { return find_named(patterns, pattern); }
const Operation* Design::find_operation(std::string_view operation) const {
  return find_named(operations, operation);
}
const Retention* Design::find_retention(std::string_view entity) const {
  return find_named(retention, entity, &Retention::entity);
}

}  // namespace tavola::design
