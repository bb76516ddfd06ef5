// The write rules of a design, the one entry point for every write to a governed table: what the design makes of the writes of one
// request, whatever client made them. Two ways lead to the same decision:
//
//   the short way (compiled_rules.h)  packed items in and out; for writes that keep every rule and touch nothing else but counters, most of them
//   the long way  (govern_writes.h)   trees of values; for all others, and for what is wrong with them
//
// A change of a rule must be made in both; compiled_rules_test.cc compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tavola/error.h>
#include <tavola/packed.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/rules/asked_update.h"
#include "design/rules/compiled_rules.h"
#include "design/rules/ruled_writes.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

// One write: the item as it is, and as the client wants it. One of them is there.
struct WantedWrite {
  std::optional<ItemView> before;
  std::optional<ItemView> after;
  bool expires = false;  // the item's time to live is over, so it is deleted even if it is a copy
  const AskedUpdate* asked = nullptr;  // null: a put or a deletion
};

// Thread safety: immutable.
class WriteRules {
 public:
  explicit WriteRules(const Design& design) : design_(design), compiled_(design) {}  // borrows it
  WriteRules(const WriteRules&) = delete;
  WriteRules& operator=(const WriteRules&) = delete;

  // Pure. Fails when the request as a whole cannot be decided.
  Result<RuledWrites> decide(std::span<const WantedWrite> writes, const Ambient& ambient,
                             const StoredItems& stored) const;

  // Appends the keys of further items that a put of this item will probably change, so that they are read with it: the counters that
  // count it. decide() asks for all others that it needs.
  void append_likely_keys(const ItemView& item, std::vector<PackedItem>& keys) const {
    compiled_.append_counter_keys(item, keys);
  }

  // Returns when an item will be stuck in its state: the earliest time of all its states that have a `stuck_after`, in milliseconds.
  std::optional<std::int64_t> stuck_at(const ItemView& item) const;

 private:
  // Nullopt: the long way must decide.
  std::optional<RuledWrites> decide_shortly(std::span<const WantedWrite> writes, const Ambient& ambient,
                                            const PackedLookup& lookup) const;
  bool is_written(std::span<const WantedWrite> writes, const PackedItem& key) const;

  const Design& design_;
  const CompiledRules compiled_;
};

}  // namespace tavola::design
