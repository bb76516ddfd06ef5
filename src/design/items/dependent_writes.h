// Dependent writes: the changes of other items that a change of an entity entails, in the same transaction: its mirrors
// and fanouts, the counters it counts for, its unique guards. Pure; the caller (an operation, the engine) decides how
// to apply them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"

namespace tavola::design {

// A change of another item.
struct DependentWrite {
  enum class Kind : std::uint8_t {
    Put,     // the item becomes `item`
    Delete,  // the item is deleted; a guard only if it belongs to `item["of"]`
    Add,     // adds `numbers` to its attributes; the item must exist, unless it is created
    Claim,   // like Put, but fails if the item exists
  };
  Kind kind = Kind::Put;
  Item key{};
  Item item{};
  std::map<std::string, Number, std::less<>> numbers{};
  std::string of{};       // the copy, or Entity.field of a unique guard
  std::string refusal{};  // Add, Claim: the name of the refusal if it fails
  std::string field{};    // Add: the reference of the counted item to this one; empty if it has none
  std::string reason{};
  bool dispensable = false;  // Add: the item may be missing
  bool creates = false;      // Add: a missing item is created as `item`, unless it is dispensable
  Span at{};                 // the copy or the field, in the design
};

// Returns the dependent writes of a change. `before` and `after` are the entity's complete fields; null: the entity
// does not exist then. Excludes copies that are written later (mode: async) and snapshots.
Result<std::vector<DependentWrite>> dependent_writes_of(const Design& design, const Entity& entity,
                                                        const Item* before, const Item* after,
                                                        const Ambient& ambient);

// Escapes '#', which ends a part of a record's name: a#b and c must differ from a and b#c.
std::string record_part(std::string text);
// Returns the key of an internal record, which belongs to no entity: {PK: "$unique#…", SK: "$unique"}.
Item record_key(const Table& table, std::string_view kind, const std::string& name);
bool is_record(const Table& table, const Item& item);
bool is_record(const Table& table, const ItemView& item);
// Returns the key of the record that keeps counting for a deleted item, whose key is `key`.
Item counts_key(const Table& table, const Item& key);
bool is_counts_key(const Table& table, const ItemView& key);
// Returns whether clients may write the item freely: the record of an operation that is done only once.
bool is_free_record(const Table& table, const Item& item);

}  // namespace tavola::design
