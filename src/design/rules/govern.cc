#include "design/rules/govern.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/model/field_value.h"
#include "design/model/refusal.h"
#include "design/rules/entity_change.h"
#include "design/rules/field_rules.h"
#include "design/rules/lifecycle_rule.h"

namespace tavola::design {
namespace {

// Returns the copy whose target the entity is: its items change with their source alone. Null if there is none.
const Copy* copy_that_makes(const Design& design, const Entity& entity) {
  const auto makes = [&](const Copy& copy) {
    return copy.to.text == entity.name && copy.mode == Copy::Mode::Transaction &&
           (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout || copy.creates);
  };
  const auto found = std::ranges::find_if(design.copies, makes);
  return found == design.copies.end() ? nullptr : &*found;
}

// The rule of one change of one item: the order of its steps. A run() needs an object of its own.
class ItemRule {
 public:
  ItemRule(const Design& design, const WantedItem& wanted, const Ambient& ambient, const TableLookup& lookup)
      : design_(design),
        before_(wanted.before),
        after_(wanted.after),
        asked_(wanted.asked),
        ambient_(ambient),
        lookup_(lookup) {}

  Result<Governed> run() {
    governed_.item = after_;
    const Item* const image = after_ ? &*after_ : before_ ? &*before_ : nullptr;
    if (image == nullptr || (before_ == after_ && !asks_for_state())) return std::move(governed_);
    if (is_record(design_.table, *image)) {
      if (!is_free_record(design_.table, *image)) {
        governed_.only_with_its_source =
            refusal(design_, "the item is an internal record of Tavola", design_.table.at).message();
      }
      return std::move(governed_);
    }
    if (before_) old_ = decode(design_, *before_);
    TAVOLA_CHECK(after_ ? written(*after_) : deleted());
    return std::move(governed_);
  }

 private:
  // Returns whether an update assigns an attribute that holds a state of some entity.
  bool asks_for_state() const {
    return asked_ != nullptr && std::ranges::any_of(design_.entities, [&](const Entity& entity) {
             return std::ranges::any_of(entity.lifecycles, [&](const Lifecycle& lifecycle) {
               return asked_->assigns(state_attribute(design_, lifecycle));
             });
           });
  }

  Result<void> deleted() {
    governed_.entity = old_.entity;
    if (old_.entity == nullptr || is_copy(*old_.entity)) return {};
    return add_dependent_writes(*old_.entity, &old_.fields, nullptr);
  }

  // The order of the steps matters, because each sees the fields as the steps before have left them:
  //   1. The client's item is decoded. A copy is not governed itself: its source decides.
  //   2. Removed fields are dropped, and counters get their old values back.
  //   3. Snapshots are taken, because transitions and computed fields may use their values.
  //   4. The states are decided. A transition sets fields, and decides which automatic times are set.
  //   5. Fields whose `when` ended are dropped: a `when` depends on the state.
  //   6. The fields are completed, and the rules of the entity are checked. Nothing changes them any more.
  //   7. The final item is made, and the index keys that the client sent are compared with its own.
  //   8. The final fields decide which other items change, and which must exist.
  Result<void> written(const Item& item) {
    Decoded decoded = decode(design_, item);
    if (decoded.entity == nullptr) return fail(refusal(design_, decoded.why_none, design_.table.at));
    const Entity& entity = *decoded.entity;
    governed_.entity = &entity;
    if (is_copy(entity)) return {};
    EntityChange change{.design = design_,
                        .entity = entity,
                        .ambient = ambient_,
                        .before = before_,
                        .after = item,
                        .asked = asked_,
                        .old_fields = old_.entity == &entity ? &old_.fields : nullptr,
                        .fields = std::move(decoded.fields)};
    TAVOLA_CHECK(check_declared(change));
    drop_removed_fields(change);
    governed_.sent_counters = reset_counters(change);
    TAVOLA_TRY(const bool all_read, take_snapshots(change, lookup_));
    governed_.is_waiting = !all_read;
    if (governed_.is_waiting) return {};
    TAVOLA_TRY(const Occasion occasion, decide_states(change));
    TAVOLA_CHECK(drop_ended_fields(change));
    TAVOLA_CHECK(complete_fields(change, occasion));
    TAVOLA_CHECK(check_rules(design_, entity, change.fields));
    TAVOLA_TRY(governed_.item, to_item(design_, entity, change.fields));
    TAVOLA_CHECK(check_index_keys(change, *governed_.item));
    TAVOLA_CHECK(add_dependent_writes(entity, change.old_fields, &change.fields));
    const bool replaces_other = change.is_new() && old_.entity != nullptr;
    if (replaces_other) TAVOLA_CHECK(add_dependent_writes(*old_.entity, &old_.fields, nullptr));
    governed_.references = references_of(change);
    return {};
  }

  // Returns whether the entity is a copy, and notes that.
  bool is_copy(const Entity& entity) {
    const Copy* const copy = copy_that_makes(design_, entity);
    if (copy == nullptr) return false;
    governed_.only_with_its_source =
        refusal(design_,
                entity.name + (copy->creates
                                   ? " is maintained by " + copy->name + "; change the " + copy->from.text +
                                         " that it counts"
                                   : " is a copy; change the " + copy->from.text + " it is copied from"),
                copy->at)
            .message();
    return true;
  }

  static Result<Occasion> decide_states(EntityChange& change) {
    Occasion occasion = change.is_new() ? Occasion::Creation : Occasion::Change;
    for (const Lifecycle& lifecycle : change.entity.lifecycles) {
      TAVOLA_TRY(const bool moved, decide_state(change, lifecycle));
      if (moved) occasion = Occasion::Transition;
    }
    return occasion;
  }

  Result<void> add_dependent_writes(const Entity& entity, const Item* before, const Item* after) {
    TAVOLA_TRY(std::vector<DependentWrite> found,
               dependent_writes_of(design_, entity, before, after, ambient_));
    std::ranges::move(found, std::back_inserter(governed_.dependent_writes));
    return {};
  }

  const Design& design_;
  const std::optional<Item>& before_;
  const std::optional<Item>& after_;
  const AskedUpdate* const asked_;
  const Ambient& ambient_;
  const TableLookup& lookup_;
  Decoded old_;  // `before_`; of no entity if there is none
  Governed governed_;
};

}  // namespace

Result<void> check_imported(const Design& design, const Item& item) {
  if (is_record(design.table, item)) return {};
  const Decoded decoded = decode(design, item);
  if (decoded.entity == nullptr) return fail(refusal(design, decoded.why_none, design.table.at));
  for (const Attribute& field : decoded.entity->fields) {
    const Value* const value = find_value(decoded.fields, field.name);
    if (value == nullptr || field.value || field.derive) continue;
    if (const auto why = why_not_named(field, *value))
      return fail(refusal(design, decoded.entity->name + "." + *why, field.at));
  }
  return {};
}

Result<Governed> govern(const Design& design, const WantedItem& wanted, const Ambient& ambient,
                        const TableLookup& lookup) {
  return ItemRule(design, wanted, ambient, lookup).run();
}

}  // namespace tavola::design
