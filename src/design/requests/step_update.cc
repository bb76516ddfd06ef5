// Steps that change an item: blindly, or after reading it.
#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/model/arguments.h"
#include "design/requests/consequences.h"
#include "design/requests/step_plan.h"

namespace tavola::design {
namespace {

Occasion occasion_of(const Step& step) {
  return step.kind == Step::Kind::Transition ? Occasion::Transition : Occasion::Change;
}

bool is_attribute(const Derived& derived) {
  return derived.kind == Derived::Kind::Field || derived.kind == Derived::Kind::Presence ||
         derived.kind == Derived::Kind::KeyAttribute;
}

}  // namespace

Result<void> StepPlanner::update_blindly(const Step& step, Wish wish) {
  const Entity& entity = entity_of(step);
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, wish.key_fields));
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
    // Beside the key of a state, which always exists, the partition key is independent of the state.
    const std::optional<Template>& hash = entry.hash.from;
    if (index.hash.name != attribute || !hash || !entry.range || entry.range->from) continue;
    if (entry.when) {
      TAVOLA_TRY(const bool there, entry.when->holds(inputs(&known)));
      if (!there) return std::optional<Value>();
    }
    return hash->render(known, entity.forms(), index.hash.type);
  }
  TAVOLA_TRY(const Item keys, index_keys_of(*call_.design, entity, known));
  const auto found = keys.find(attribute);
  return found == keys.end() ? std::optional<Value>() : std::optional<Value>(found->second);
}

// Returns whether a field with a `when` must exist; it must be given exactly then.
Result<bool> StepPlanner::is_there(const Entity& entity, const Attribute& field, const Item& known) const {
  if (!field.when) return true;
  TAVOLA_TRY(const bool there, field.when->holds(inputs(&known)));
  if (there == known.contains(field.name)) return there;
  return fail(Error::validation(entity.name + "." + field.name +
                                (there ? " is required when " : " is only allowed when ") +
                                field.when->text()));
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
    } else if (field->derive) {
      TAVOLA_TRY(value, field->derive->value(inputs(&wish.known)));
      if (value) {
        TAVOLA_TRY(value, accept_computed(*field, *field->derive, *value));
      }
    }
    if (value) wish.known[field->name] = *value;
    set_or_remove(field->name, value);
  } else if (derived.kind == Derived::Kind::Presence) {
    TAVOLA_TRY(const bool there, is_there(entity, *field, wish.known));
    if (!there) set_or_remove(field->name, std::nullopt);
  } else if (derived.kind == Derived::Kind::Rule) {
    return check_rule(*call_.design, entity, derived.name, wish.known);
  } else {
    // An index key that is a stored field was set with the field.
    if (field != nullptr && field->stored) return {};
    TAVOLA_TRY(const std::optional<Value> value, key_attribute(entity, derived.name, wish.known));
    set_or_remove(derived.name, value);
  }
  return {};
}

Result<void> StepPlanner::update_knowing(const Step& step, const Wish& wish, const Stored& stored) {
  const Entity& entity = entity_of(step);
  TAVOLA_TRY(const Item key, key_of(*call_.design, entity, wish.key_fields));
  const PendingWrite* const pending = writes_.find(key);
  if (pending != nullptr && pending->of_step) {
    return fail(Error::validation("two steps would write the same item, " + to_json(key) +
                                  ", and one of them needs the stored item; merge the two steps"));
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
  TAVOLA_TRY(fields, complete(entity, std::move(fields), occasion_of(step), call_.ambient));
  TAVOLA_CHECK(check_rules(*call_.design, entity, fields));
  TAVOLA_TRY(const Item item, to_item(*call_.design, entity, fields));
  const std::vector<Derived> affected =
      affected_by(wish.changed, derived_of(*call_.design, entity, wish.known));
  // The step's own fields are written even if unchanged: a concurrent write may be changing them.
  FieldNames touched = wish.changed;
  for (const Derived& derived : affected) {
    if (is_attribute(derived)) touched.insert(derived.name);
  }
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
    if (is_attribute(derived) && !item.contains(derived.name)) write->remove(derived.name);
  }
  const FieldNames consequential = consequential_fields(*call_.design, entity);
  for (const auto& [field, value] : wish.known) {
    // A field that is overwritten need not be unchanged, unless something is computed from its old value.
    if (!consequential.contains(field)) consulted.erase(field);
  }
  add_guard(entity, consulted, stored, *write);
  TAVOLA_CHECK(add_consequences(call_, entity, &stored.fields, &fields, writes_));
  remember(step, fields);
  return {};
}

}  // namespace tavola::design
