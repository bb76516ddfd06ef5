// Entities and items: a map of fields becomes the item that is stored, and an item is recognized as one of an
// entity.
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

// Fills in the computed fields: format, generated ids, defaults and initial states (Creation), automatic timestamps,
// `value` and `derive`. Replaces computed fields that are given, except automatic timestamps in `settled`. Fails with
// Validation if a field has a wrong value, a required one is missing, or one is present or absent against its `when`.
Result<Item> complete(const Entity& entity, Item fields, Occasion occasion, const Ambient& ambient,
                      const FieldNames& settled = {});

// Returns the item of complete fields: keys, index keys, the entity attribute, the attributes.
Result<Item> to_item(const Design& design, const Entity& entity, const Item& fields);
// Returns the key alone. `fields` must hold at least those of the key; fails if one is missing.
Result<Item> key_of(const Design& design, const Entity& entity, const Item& fields);
// Returns the index keys, and the states that are keys, of complete fields. For an index that the entity is not in,
// returns nothing but the state's key.
Result<Item> index_keys_of(const Design& design, const Entity& entity, const Item& fields);

// An item of the table, decoded. Exactly one of `entity` and `why_none` is set.
struct Decoded {
  const Entity* entity = nullptr;
  Item fields;           // its fields, states that are keys included
  std::string why_none;  // "no entity has a key like PK=X#1, SK=Y"
};
Decoded decode(const Design& design, const Item& item);

// Returns whether an item of the entity counts as deleted: it has the attribute of `delete: soft`.
bool is_softly_deleted(const Design& design, const Entity& entity, const Item& item);

// Fails with Validation if the caller gives a field with `only` a value other than their own.
Result<void> check_only(const Design& design, const std::optional<Item>& before, const Item& after,
                        const Ambient& ambient);

}  // namespace tavola::design
