// Looks up other items of the table during a write rule.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

// At most so many other items change in one transaction; the others are left in RuledWrites::remainders.
inline constexpr std::size_t kDependentWritesMax = 100;

struct FoundItems {
  std::vector<Item> items;
  bool is_all = true;
};

// The implementation records what was not read yet, and the rule is called again once it is read.
class TableLookup {
 public:
  virtual ~TableLookup() = default;
  // Returns the item with this key, or that there is none. Returns null if it was not read yet. No item has the empty key.
  virtual const std::optional<Item>* find(const PackedItem& key) const = 0;
  // Returns the first items that a pattern finds (a query, in which the design's entities are distinguished), at most `limit`, and fewer
  // if the pattern passes over more items than one transaction reads. Returns nothing if they were not read yet.
  virtual Result<std::optional<FoundItems>> ask(const Pattern& pattern, const Item& parameters,
                                                std::size_t limit) const = 0;
  // Limits what changes in the transaction itself; the rest is left in RuledWrites::remainders.
  struct Room {
    std::size_t copies;
    bool
        follows_deletions;  // otherwise all that follows a deletion is left, because what a pattern finds may grow until the commit
  };
  virtual Room room() const;
};

inline TableLookup::Room TableLookup::room() const {
  return {.copies = kDependentWritesMax, .follows_deletions = true};
}

// Looks up packed items, for the short way.
class PackedLookup {
 public:
  virtual ~PackedLookup() = default;
  // Returns the item with this key, or that there is none; its bytes live as long as the rule runs. Returns nothing if it was not read
  // yet.
  virtual std::optional<std::optional<ItemView>> find_packed(const PackedItem& key) const = 0;
};

// The table itself: both ways of the rules look items up in it.
class StoredItems : public TableLookup, public PackedLookup {};

// Returns the key in the form in which keys are compared and looked up; the empty item if no item can have it.
inline PackedItem packed_key(const Item& key) { return pack(key).value_or(PackedItem()); }

}  // namespace tavola::design
