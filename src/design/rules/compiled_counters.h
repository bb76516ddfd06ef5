// Counters on the short way (compiled_rules.h): what a change of an entity's item adds to the items that count it, and these items with it.
//
//   fields before, after ─▶ append_additions ─▶ keys and numbers ─▶ (the items are read) ─▶ add_to_counters ─▶ their changes
//
// The keys are mostly known before the item is read (append_counter_key), so that the counters are read with it.
// Items that do not exist yet are left to the long way, which creates them, refuses the write or counts in a record.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tavola/number.h>
#include <tavola/packed.h>

#include "design/model/model.h"
#include "design/rules/ruled_writes.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

struct CompiledEntity;
struct CounterPlan;
struct PackedChange;

// The numbers that a write adds to one item.
struct CounterAddition {
  const CounterPlan* plan;
  PackedItem key;
  std::vector<Number> numbers;  // by the counters of the plan
  std::size_t cause = 0;        // the write of the request
};

// Plans the counters that the entity's items change. Returns false when one of them is only for the long way.
bool compile_counters(const Design& design, CompiledEntity& plan);

// Appends what the change adds to the items of one counter. Returns false when the long way must decide.
bool append_additions(PackedChange& change, const CounterPlan& plan, std::vector<CounterAddition>& additions);

// Appends the key of the item of one counter that counts the changed item, if the fields that are known so far determine it.
void append_counter_key(PackedChange& change, const CounterPlan& plan, std::vector<PackedItem>& keys);

enum class Counting : std::uint8_t {
  Done,
  Waiting,    // for items that were not read yet
  Undecided,  // the long way must decide
};
// Appends the items that count, changed. Those that two counters add to are changed once.
Counting add_to_counters(std::span<const CounterAddition> additions, const PackedLookup& lookup,
                         std::vector<RuledWrites::Change>& changes);

}  // namespace tavola::design
