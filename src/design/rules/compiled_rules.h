// The short way of the write rule (govern.h): a design compiled to what most writes need, on packed items. It decides changes
// that keep every rule and touch nothing else, and leaves all others to govern(), which knows what is wrong with them.
//
//   before, after ─▶ WritePlan::decide ─▶ the final item         an entity's item, its fields right, no copies, no guards
//                                      └▶ nothing: ask govern()
//
// Its decisions always equal those of govern() (compiled_rules_test.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/packed.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"

namespace tavola::design {

struct EntityPlan;  // compiled_entity.h

// Thread safety: immutable.
class WritePlan {
 public:
  explicit WritePlan(const Design& design);  // borrows it
  ~WritePlan();
  WritePlan(const WritePlan&) = delete;
  WritePlan& operator=(const WritePlan&) = delete;

  struct Decided {
    PackedItem item;
    // As in Governed.
    std::optional<std::int64_t> stuck_before;
    std::optional<std::int64_t> stuck_after;
  };
  std::optional<Decided> decide(const std::optional<ItemView>& before, const ItemView& after,
                                const Moment& moment) const;

 private:
  // Returns the plan of the item's entity; null if that is not certain.
  const EntityPlan* plan_of(const ItemView& item) const;

  const Design& design_;
  std::vector<std::unique_ptr<const EntityPlan>> plans_;  // of design.entities; null: always the long way
  std::vector<std::string> marks_;                        // of each: what the entity attribute holds
};

}  // namespace tavola::design
