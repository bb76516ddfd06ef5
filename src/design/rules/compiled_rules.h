// The short way of the write rules (write_rules.h): a design compiled to what most writes need, on packed items. It decides changes
// that keep every rule and touch nothing else, and leaves all others to the long way, which knows what is wrong with them.
//
//   before, after ─▶ CompiledRules::decide ─▶ the final item         an entity's item, its fields right, no copies, no guards
//                                      └▶ nothing: the long way decides     and what its counters add (compiled_counters.h)
//
// Its decisions always equal those of the long way (compiled_rules_test.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/packed.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/rules/asked_update.h"
#include "design/rules/compiled_counters.h"

namespace tavola::design {

struct CompiledEntity;  // compiled_entity.h

// Thread safety: immutable.
class CompiledRules {
 public:
  explicit CompiledRules(const Design& design);  // borrows it
  ~CompiledRules();
  CompiledRules(const CompiledRules&) = delete;
  CompiledRules& operator=(const CompiledRules&) = delete;

  // Returns the decision; nothing when the long way must decide.
  struct Wanted {
    std::optional<ItemView> before;
    ItemView after;
    const AskedUpdate* asked = nullptr;  // null: a put or a deletion
  };
  struct Decided {
    PackedItem item;
    bool has_checked_index_keys = false;       // as in RuledWrites::Change
    std::vector<CounterAddition> additions{};  // to the items that count it
  };
  std::optional<Decided> decide(const Wanted& wanted, const Ambient& ambient) const;

  // Appends the keys of the items that will count an item, as far as the attributes that a client sends determine them.
  void append_counter_keys(const ItemView& item, std::vector<PackedItem>& keys) const;

  // Whether an item of the design can be stuck at all.
  bool can_be_stuck() const { return can_be_stuck_; }
  // Returns when the item will be stuck, as stuck_at() of its fields does (lifecycle_rule.h). Returns nothing when that is not certain.
  std::optional<std::optional<std::int64_t>> stuck_at(const ItemView& item) const;

 private:
  // Returns the entity of an item by its mark, or by its key if it has none; null when it is not certain.
  const CompiledEntity* plan_of(const ItemView& item) const;
  // Returns the only plan that fits.
  template <class Fits>
  const CompiledEntity* plan_where(Fits fits) const;

  const Design& design_;
  std::vector<std::unique_ptr<const CompiledEntity>> plans_;  // of design.entities; null: always the long way
  std::vector<std::string> marks_;                            // of each: what the entity attribute holds
  bool can_be_stuck_ = false;
  bool has_counters_ = false;
};

}  // namespace tavola::design
