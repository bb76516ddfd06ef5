// The write rule of a governed table: the design applied to a change of an item from one image to another, whichever
// client and operation made it: PutItem, a partial update, a transaction. A pure function of both images and the time.
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

namespace tavola::design {

// Other items of the table that the rule must see: the sources of snapshots.
class Neighbours {
 public:
  virtual ~Neighbours() = default;
  // Returns null if the item was not read yet. Otherwise the item with this key, or nullopt if there is none.
  virtual const std::optional<Item>* find(const Item& key) const = 0;
};

// An item that must exist for another to refer to it.
struct Reference {
  Item key;
  std::string message;  // the error if it does not exist
};

struct Governed {
  const Entity* entity = nullptr;  // of the item, before its deletion too; null: of none
  std::optional<Item> item;        // nothing: it is deleted
  std::vector<Companion> companions;
  std::vector<Reference> references;
  std::vector<Item> unknown;  // keys of neighbours; when there are any, the rest is not decided yet

  // Set for a copy or an internal record, which may only be written together with its source: the message for a client
  // that writes something else.
  std::string only_with_its_source;
  // The client's values of fields that counters maintain, to be compared with the final counts. In `item` these fields
  // are unchanged.
  Item counters_sent;
  std::string counters_message;

  // The time at which the item will be stuck in its state, in milliseconds: before the change, and after it.
  std::optional<std::int64_t> stuck_before;
  std::optional<std::int64_t> stuck_after;
};

// A null `before` or `after` means that there is no item. Fails with Validation if the change breaks the design
// ("Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]"), and with ConditionalCheckFailed if a
// lifecycle has no such transition.
//
// A client may send a computed field only with the computed value; fields that it did not send are computed again. An
// automatic timestamp that the client sends is kept: it may be older than this write, as in an import. A state may be
// changed by its attribute or by the key that holds it.
Result<Governed> govern(const Design& design, const std::optional<Item>& before,
                        const std::optional<Item>& after, const Moment& moment, const Neighbours& neighbours);

// Returns when an entity will be stuck: the earliest time of all its states that have a `stuck_after`, in
// milliseconds.
std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields);

}  // namespace tavola::design
