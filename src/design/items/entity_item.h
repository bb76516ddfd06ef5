// Entities and items: a map of fields becomes the item that is stored, and any item tells which entity it is.
//
//   fields {shopId, productId, category, …} ─▶ complete ─▶ to_item ─▶ {PK, SK, GSI1PK, GSI1SK, …}
//                                                          decode ◀─
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/model/model.h"

namespace tavola::design {

using FieldNames = std::set<std::string, std::less<>>;

enum class Occasion : std::uint8_t { Creation, Change, Transition };

// Fills in what the design computes: format, generated ids, defaults and initial states (Creation), automatic moments,
// `value` and `derive`. Computed fields that are given are replaced, but for automatic moments in `settled`. Fails with Validation when a field has a wrong value, a
// required one is missing, or one is present against its `when` (or absent against it).
Result<Item> complete(const Entity& entity, Item fields, Occasion occasion, const Moment& moment,
                      const FieldNames& settled = {});

// The item of complete fields: keys, index keys, the entity attribute, the attributes.
Result<Item> to_item(const Design& design, const Entity& entity, const Item& fields);
// The key alone: of fields that hold at least those of the key. Fails when one is missing.
Result<Item> key_of(const Design& design, const Entity& entity, const Item& fields);
// The keys of the indexes, and of states that are keys, which complete fields give. Of an index in which the entity is not:
// nothing (but the state's key).
Result<Item> index_keys_of(const Design& design, const Entity& entity, const Item& fields);

// What an item of the table is. Exactly one of `entity` and `why_none` is set.
struct Decoded {
  const Entity* entity = nullptr;
  Item fields;           // its fields, states that are keys included
  std::string why_none;  // "no entity has a key like PK=X#1, SK=Y"
};
Decoded decode(const Design& design, const Item& item);

// Fails with Validation when the caller changes a field with `only` to another value than theirs.
Result<void> check_only(const Design& design, const std::optional<Item>& before, const Item& after,
                        const Moment& moment);

}  // namespace tavola::design
