// One item against the design, by itself: which entity it is, which fields break the design, what is computed otherwise.
// Pure: what stands in other items is drift.cc's.
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

// Attributes and what they should be; nothing: they should not be there.
using Corrections = std::map<std::string, std::optional<Value>, std::less<>>;

struct Inspection {
  const design::Entity* entity = nullptr;  // of the computed design; null: the item is none
  Item fields{};                           // as they should be, as far as they can be computed
  std::vector<ItemProblem> problems{};
  Corrections corrections{};
};

Inspection inspect(const DriftDesign& design, const Item& item);

}  // namespace tavola::drift
