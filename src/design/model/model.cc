#include "design/model/model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.h"

namespace tavola::design {
namespace {

template <class T, class Name>
const T* find_by(const std::vector<T>& parts, std::string_view wanted, Name T::* name) {
  const auto found = std::ranges::find(parts, wanted, name);
  return found == parts.end() ? nullptr : &*found;
}

bool holds_hash(const std::optional<Template>& text) {
  return text && text->text().find('#') != std::string::npos;
}

// A value made from a template contains the template's text: COUNTRY#DE.
FieldForm form_of(const Attribute& field) {
  return {field.type, field.raw || holds_hash(field.format) || holds_hash(field.value)};
}

}  // namespace

const State* Lifecycle::find_state(std::string_view state) const {
  return find_by(states, state, &State::name);
}

const State& Lifecycle::initial() const {
  TAVOLA_ASSERT(!states.empty());
  const auto marked = std::ranges::find(states, true, &State::initial);
  return marked == states.end() ? states.front() : *marked;
}

const Attribute* Entity::find_field(std::string_view field) const {
  return find_by(fields, field, &Attribute::name);
}

const IndexEntry* Entity::find_index(std::string_view index) const {
  return find_by(indexes, index, &IndexEntry::index);
}

const Lifecycle* Entity::find_lifecycle(std::string_view lifecycle) const {
  return find_by(lifecycles, lifecycle, &Lifecycle::name);
}

const Transition* Entity::find_transition(std::string_view transition) const {
  for (const Lifecycle& lifecycle : lifecycles) {
    if (const Transition* found = find_by(lifecycle.transitions, transition, &Transition::name)) return found;
  }
  return nullptr;
}

std::vector<std::string> Entity::key_fields() const {
  std::vector<std::string> fields_of_key = hash.fields();
  if (!range) return fields_of_key;
  const std::set<std::string> in_hash(fields_of_key.begin(), fields_of_key.end());
  for (std::string& field : range->fields()) {
    if (!in_hash.contains(field)) fields_of_key.push_back(std::move(field));
  }
  return fields_of_key;
}

FieldForms Entity::forms() const {
  return [this](std::string_view field) {
    const Attribute* attribute = find_field(field);
    return attribute == nullptr ? FieldForm{} : form_of(*attribute);
  };
}

FieldForms Pattern::forms() const {
  return [this](std::string_view wanted) {
    const Parameter* parameter = find_by(parameters, wanted, &Parameter::name);
    return parameter == nullptr ? FieldForm{} : form_of(parameter->form);
  };
}

const Index* Design::find_index(std::string_view index) const {
  return find_by(indexes, index, &Index::name);
}

const Entity* Design::find_entity(std::string_view entity) const {
  return find_by(entities, entity, &Entity::name);
}

const Pattern* Design::find_pattern(std::string_view pattern) const {
  return find_by(patterns, pattern, &Pattern::name);
}

const Operation* Design::find_operation(std::string_view operation) const {
  return find_by(operations, operation, &Operation::name);
}

const Retention* Design::find_retention(std::string_view entity) const {
  return find_by(retention, entity, &Retention::entity);
}

}  // namespace tavola::design
