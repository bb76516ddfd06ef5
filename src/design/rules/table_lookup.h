// The rest of a table, as far as it was read: what a write rule sees besides the items that it changes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

// An answer that is not known yet is noted by who implements this, and the rule is asked again when it was read.
class TableLookup {
 public:
  virtual ~TableLookup() = default;
  // Returns the item with this key, or that there is none. Returns null if it was not read yet. No item has the empty key.
  virtual const std::optional<Item>* find(const PackedItem& key) const = 0;
  // Returns the items that a pattern finds (a query, in which the design's entities are distinguished), at most `limit`. Returns nothing
  // if they were not read yet.
  virtual Result<std::optional<std::vector<Item>>> ask(const Pattern& pattern, const Item& parameters,
                                                       std::size_t limit) const = 0;
};

// Returns the key in the form in which keys are compared and looked up; the empty item if no item can have it.
inline PackedItem packed_key(const Item& key) { return pack(key).value_or(PackedItem()); }

}  // namespace tavola::design
