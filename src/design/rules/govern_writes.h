// The long way of the write rules (write_rules.h) for the writes of one request together: each is governed (govern.h), what changes
// with it is applied to the other items, and what the request wrote of those itself is compared. Pure.
//
//   Put Rating ──▶ govern ──▶ add 1 to Site.ratingCount ─┐
//   Update Site (title) ──▶ govern ──────────────────────┴─▶ Site with the title and the count
//
// A request may write copies, counters and guards itself, as programs do that do not know the design, if the values
// equal those of the design.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/items/dependent_writes.h"
#include "design/model/ambient.h"
#include "design/model/model.h"
#include "design/rules/asked_update.h"
#include "design/rules/ruled_writes.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

// One write: the current item, and the item that the client wants.
struct UnpackedWrite {
  PackedItem key{};
  std::optional<Item> before;
  std::optional<Item> after;
  bool expires = false;                // as in WantedWrite
  const AskedUpdate* asked = nullptr;  // as in WantedWrite
};

Result<RuledWrites> govern_writes(const Design& design, std::span<const UnpackedWrite> writes,
                                  const Ambient& ambient, const TableLookup& lookup);

// Returns the copies that an item must have now, each as DependentWrite::Kind::Put, for those that were left in `remainders`.
Result<std::vector<DependentWrite>> copies_of(const Design& design, const Item& source,
                                              const Ambient& ambient);

}  // namespace tavola::design
