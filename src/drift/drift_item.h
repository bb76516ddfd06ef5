// Checks one item against the design by itself: its entity, the fields that break the design, the computed values that
// differ. Pure: drift.cc checks other items.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/value.h>

#include "drift/drift.h"
#include "drift/drift_design.h"

namespace tavola::drift {

struct ItemProblem {
  DriftRule rule = DriftRule::Field;
  std::string about{};
  std::string text{};
  bool can_be_computed = false;
};

// Attributes and their correct values; nullopt: the attribute should not exist.
using Corrections = std::map<std::string, std::optional<Value>, std::less<>>;

struct Inspection {
  const design::Entity* entity = nullptr;  // of the computed design; null: the item matches no entity
  Item fields{};                           // the correct fields, as far as they can be computed
  std::vector<ItemProblem> problems{};
  Corrections corrections{};
};

Inspection inspect(const DriftDesign& design, const Item& item);

}  // namespace tavola::drift
