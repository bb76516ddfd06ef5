// What else must change with an entity, in the same transaction: its mirrors and fanouts, the counters it counts for, its
// unique guards. Pure; who applies it (an operation, the engine) decides how.
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
struct Companion {
  enum class Kind : std::uint8_t {
    Put,     // the item becomes `item`
    Delete,  // it is gone; a guard only when it is of `item["of"]`
    Add,     // `numbers` are added to its attributes; it must be there
    Claim,   // like Put, and nobody may have it already
  };
  Kind kind = Kind::Put;
  Item key{};
  Item item{};
  std::map<std::string, Number, std::less<>> numbers{};
  std::string of{};       // the copy, or Entity.field of a unique guard
  std::string refusal{};  // Add, Claim: the name of the refusal when it cannot be
  std::string reason{};
  bool dispensable = false;  // Add: when the item is not there, nothing is left to count
  Span at{};                 // the copy or the field, in the design
};

// `before` and `after` are the entity's complete fields; null: it does not exist then. Copies that are written later
// (mode: async) and snapshots are not among them.
Result<std::vector<Companion>> companions_of(const Design& design, const Entity& entity, const Item* before,
                                             const Item* after, const Moment& moment);

// The key of a record of our own, which belongs to no entity: {PK: "$unique#…", SK: "$unique"}.
Item record_key(const Table& table, std::string_view kind, const std::string& name);
bool is_record(const Table& table, const Item& item);
// The record that goes on counting for an item that is gone, of which `key` is the key.
Item counts_key(const Table& table, const Item& key);
// Whether it is one that clients write as they like: what an operation done once remembers.
bool is_free_record(const Table& table, const Item& item);

}  // namespace tavola::design
