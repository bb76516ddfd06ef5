// The consequences of a change (`consequences` of a design): new items that follow when an entity's item is created, changed or deleted.
// Pure; the write rules (design/rules) and operations (design/requests) write them.
//
//   before, after ─▶ which consequences ─▶ (other items are read) ─▶ when ─▶ the fields of the new items
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/entity_item.h"
#include "design/model/ambient.h"
#include "design/model/model.h"

namespace tavola::design {

// The change of an entity's item, by its complete fields; null: the item does not exist then.
struct FieldChange {
  const Entity& entity;
  const Item* before = nullptr;
  const Item* after = nullptr;
};

// A new item that follows from a change.
struct EntailedItem {
  const Consequence* consequence;
  const Entity* entity;  // of the new item
  Item fields;           // complete
};

struct EntailedItems {
  std::vector<EntailedItem> items;
  bool is_waiting = false;  // an item was not read yet: `items` is not complete
};

// Returns the item with this key, or that there is none; null if it was not read yet.
using FindRelated = std::function<const std::optional<Item>*(const Entity& entity, const Item& key)>;

// Returns the consequences of a change, in the order of the design. A change that leaves the deciding fields of a consequence
// (deciding_fields) as they were does not have it. Draws random values only when everything is read. Fails when a rule fails or makes
// a wrong value, with a message that names the consequence.
Result<EntailedItems> entailed_by(const Design& design, const FieldChange& change, const Ambient& ambient,
                                  const FindRelated& find);

// Returns the error of a consequence that cannot be written; `why` may be an error of the design's rules.
Error not_entailed(const Design& design, const Consequence& consequence, const Error& why);

}  // namespace tavola::design
