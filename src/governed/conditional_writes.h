// A decided change of one item as a request that happens only if the item still is as the rule saw it:
//
//   new       Put       if attribute_not_exists(hash)
//   gone      Delete    if as seen
//   changed   Update    SET and REMOVE of the difference, if as seen
//   counted   Update    ADD of the difference, if the item exists      (an item that changes with others, in nothing but counters)
//   looked at ConditionCheck, as seen
//
// "As seen" is two things: every attribute that was there has its value, and every attribute that a rule looks at and that was not there
// still is not. Without the second, two writers who set a field each compute an index key without the field of the other.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <tavola/requests.h>

#include "governed/design_facts.h"

namespace tavola::governed {

// Decides how much of an item must be compared, by who looked at it.
enum class Look : std::uint8_t {
  OfClient,  // the request is about the item: all that it may have looked at
  OfRule,    // the item only matters to rules about others
};

// An item that a decision depends on. Borrows everything.
struct SeenChange {
  const std::string& table_name;
  const std::string& hash;  // the name of the table's hash attribute
  const PackedItem& key;
  const std::optional<PackedItem>& before;
  const std::optional<PackedItem>& after;  // equal to `before`: the item was looked at, and stays
  Look look = Look::OfClient;
  bool is_alone = false;  // nothing else is written with it
};

// Further things to compare, besides what the item has. Borrows everything.
struct Comparison {
  const DesignFacts* facts = nullptr;        // null: the table has no design
  std::span<const std::string> mentioned{};  // attributes that the client's expressions name
};

// Fails with Validation if the item has more attributes than a condition can compare.
Result<TransactWrite> conditional_write(const SeenChange& change, const Comparison& comparison);

}  // namespace tavola::governed
