// What else is written when an entity changes: its mirrors and fanouts, the counters it counts for, its unique guards.
#pragma once

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/operation_plan.h"
#include "design/pending_write.h"

namespace tavola::design {

// `before` and `after` are the entity's fields; null: it does not exist then.
Result<void> add_consequences(const Call& call, const Entity& entity, const Item* before, const Item* after,
                              PendingWrites& writes);

// The key of a record of our own, which belongs to no entity: {PK: "$unique#…", SK: "$unique"}.
Item record_key(const Table& table, std::string_view kind, const std::string& name);

}  // namespace tavola::design
