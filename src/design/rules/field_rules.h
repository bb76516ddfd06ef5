// The fields of an entity that a write gives, and those that the design computes from them.
#pragma once

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/entity_item.h"
#include "design/rules/entity_change.h"

namespace tavola::design {

// Fails if the entity is closed and the client wrote an attribute that it does not declare. One that the item had before may stay.
Result<void> check_declared(const EntityChange& change);

// Drops fields whose attributes were removed, even if a key of an index still holds them.
void drop_removed_fields(EntityChange& change);

// Drops fields whose `when` no longer holds, unless the client has just written them.
Result<void> drop_ended_fields(EntityChange& change);

// Checks the given fields and computes the others. Fails if the client changed an immutable field, or sent a computed one with another value.
Result<void> complete_fields(EntityChange& change, Occasion occasion);

// Fails if the client sent an index key other than that of the final item, unless it is a field or holds a state.
Result<void> check_index_keys(const EntityChange& change, const Item& final_item);

}  // namespace tavola::design
