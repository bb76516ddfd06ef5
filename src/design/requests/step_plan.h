// The steps of an operation, in order: what each wants to change, what it must know for that, and what it writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/dependencies.h"
#include "design/requests/operation_plan.h"
#include "design/requests/pending_write.h"

namespace tavola::design {

// Entities that expressions refer to by a name: items that were read, items that steps wrote, the element of
// `each`.
using Others = std::map<std::string, Item, std::less<>>;

// The wish of a step: the fields it gives values to, and those whose new value only the database can compute.
struct Wish {
  Item known;  // key fields included, except those whose day the key shows
  Item key_fields;
  std::vector<const Assignment*> remote;
  FieldNames changed;
  FieldNames removed;
};

// The item that is stored under a step's key.
struct Stored {
  Item item;
  Item fields;
};
// The item before the step: not read, missing, or read.
struct Before {
  bool looked = false;
  std::optional<Stored> stored;
};

class StepPlanner {
 public:
  StepPlanner(const Call& call, PendingWrites& writes) : call_(call), writes_(writes) {}

  Others& others() { return others_; }
  // The item that a step found in place of a new one (`if_exists: return`): the result of the operation, which does nothing.
  const std::optional<Item>& existing() const { return existing_; }
  // The keys of items that only the database will know in full, by the name (`as`) of the step or read.
  const std::map<std::string, Item, std::less<>>& partly_known() const { return partly_known_; }

  Result<Item> key_fields(const Step& step) const;
  // Returns whether the stored item must be read before the step can be planned.
  Result<bool> needs_stored(const Step& step, const Item& key_fields) const;
  Result<void> plan(const Step& step, const Item& key_fields, const Before& before);

 private:
  const Entity& entity_of(const Step& step) const { return *call_.design->find_entity(step.entity.text); }
  expr::RuleInputs inputs(const Item* fields = nullptr) const;
  bool reads_fields(const Rule& rule) const;
  std::vector<const Assignment*> assignments(const Step& step) const;
  Result<bool> is_taken_away(const Step& step, const Assignment& assignment) const;
  Result<Wish> wish_of(const Step& step, const Item& key_fields) const;
  bool is_used_later(const Step& step, const Wish& wish) const;

  Result<void> put(const Step& step, const Item& key_fields, const Before& before);
  Result<void> update_blindly(const Step& step, Wish wish);
  Result<void> update_knowing(const Step& step, const Wish& wish, const Stored& stored);
  Result<void> return_existing(const Step& step, const Item& wanted, const Stored& stored);
  Result<void> remove(const Step& step, const Item& key_fields, const Before& before);
  Result<std::optional<Value>> key_attribute(const Entity& entity, const std::string& attribute,
                                             const Item& known) const;
  Result<bool> is_there(const Entity& entity, const Attribute& field, const Item& known) const;
  Result<void> set_affected(const Step& step, const Derived& derived, Wish& wish, PendingWrite& write) const;

  Result<void> add_causes(const Step& step, bool exists, const Before& before, PendingWrite& write) const;
  Result<void> add_requirements(const Step& step, const Before& before, PendingWrite& write) const;
  Result<void> add_state(const Step& step, const Before& before, PendingWrite& write) const;
  Result<void> check_needs(const Step& step, const Before& before) const;
  void add_guard(const Entity& entity, const FieldNames& consulted, const std::optional<Stored>& stored,
                 PendingWrite& write) const;
  void remember(const Step& step, const Item& fields) {
    if (!step.as.empty()) others_[step.as] = fields;
  }

  const Call& call_;
  PendingWrites& writes_;
  Others others_;
  std::map<std::string, Item, std::less<>> partly_known_;
  std::optional<Item> existing_;
};

// Returns the lifecycle that has the transition; the entity must have it.
const Lifecycle& lifecycle_of(const Entity& entity, const Transition& transition);
// Returns the fields that copies, unique guards and consequences of the entity are made of.
FieldNames consequential_fields(const Design& design, const Entity& entity);
// Returns the fields in which an item must equal the one that a step with `if_exists: return` would put, if the step gives
// them: those that say which item it is, because they never change, or whose it is (`own` of a role).
FieldNames distinguishing_fields(const Design& design, const Entity& entity);
// Returns the fields of `name` that any expression of the operation uses.
FieldNames fields_used_of(const Operation& operation, std::string_view name);

}  // namespace tavola::design
