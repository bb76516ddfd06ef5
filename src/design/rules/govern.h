// The long way of the write rules (write_rules.h) for one item: what a design makes of a change from one image to another. A pure
// function of both images and the moment.
//
//   before, after ─▶ which entity ─▶ states and transitions ─▶ computed fields ─▶ checks ─▶ the final item, and what else changes
//
// govern_writes.h puts the changes of one request together, and applies what else changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

// An item that must exist for another to be there.
struct Reference {
  Item key;
  std::string message;  // when it does not
};

struct Governed {
  const Entity* entity = nullptr;  // of the item, before its deletion too; null: of none
  std::optional<Item> item;        // nothing: it is deleted
  std::vector<Companion> companions;
  std::vector<Reference> references;
  bool is_waiting = false;  // something was not read yet (TableLookup): nothing is decided

  // The item is a copy, or a record of our own: it may only be what the change of its source makes of it. Otherwise this is
  // what the client is told.
  std::string only_with_its_source;
  // What the client wrote into fields that counters keep: it may only be what they come to. In `item` they are as before.
  Item counters_sent;
  std::string counters_message;
};

// Nothing for `before` or `after` means that there is no item. Fails with Validation when the change breaks the design
// ("Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]"), and with ConditionalCheckFailed when a
// lifecycle has no such transition.
//
// A field that the design computes may be sent, but only as it is computed; what was not sent anew is computed anew.
// An automatic moment that the client sends anew stands: it may be older than this write, as in an import. A state may be
// changed by its attribute or by the key that holds it.
Result<Governed> govern(const Design& design, const std::optional<Item>& before,
                        const std::optional<Item>& after, const Moment& moment, const TableLookup& lookup);

// Returns when an entity will be stuck: the earliest time of all its states that have a `stuck_after`, in milliseconds.
std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields);

}  // namespace tavola::design
