// The long way of the write rules (write_rules.h) for one item: what a design makes of a change from one image to another. A pure
// function of both images and the moment.
//
//   before, after ─▶ which entity ─▶ values of other items ─▶ states ─▶ fields ─▶ the final item, and what else changes
//
// The steps are in related_items.h, lifecycle_rule.h and field_rules.h. govern_writes.h combines the changes of one request and applies
// the dependent writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/dependent_writes.h"
#include "design/model/ambient.h"
#include "design/model/model.h"
#include "design/rules/asked_update.h"
#include "design/rules/related_items.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

struct Governed {
  const Entity* entity = nullptr;  // of the item, before its deletion too; null: of none
  std::optional<Item> item;        // nothing: it is deleted
  std::vector<DependentWrite> dependent_writes;
  std::vector<Reference> references;
  bool is_waiting = false;  // something was not read yet (TableLookup): nothing is decided

  // Set for a copy or an internal record, which may only be written together with its source: the message for a client
  // that writes something else.
  std::string only_with_its_source;
  // To be compared with the final counts. In `item` these fields are unchanged.
  SentCounters sent_counters;
};

// A null `before` or `after` means that there is no item. Fails with Validation if the change breaks the design
// ("Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]"), and with ConditionalCheckFailed if a
// lifecycle has no such transition.
//
// A client may send a computed field only with the computed value; fields that it did not send are computed again. An
// automatic timestamp that the client sends is kept: it may be older than this write, as in an import. A put that repeats the stored one
// does not send it. A state may be changed by its attribute or by the key that holds it. An update that assigns either asks for a
// transition, even to the state that the item has.
struct WantedItem {
  const std::optional<Item>& before;
  const std::optional<Item>& after;
  const AskedUpdate* asked = nullptr;  // null: a put or a deletion
};
Result<Governed> govern(const Design& design, const WantedItem& wanted, const Ambient& ambient,
                        const TableLookup& lookup);

// Fails with Validation if an item that is stored as it is cannot be of this design: no entity has such a key, or a field has a wrong
// type or value. All other rules depend on further items, and are checked when these are there, too (drift/).
Result<void> check_imported(const Design& design, const Item& item);

}  // namespace tavola::design
