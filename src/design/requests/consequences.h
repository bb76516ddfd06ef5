// The dependent writes of an operation (dependent_writes.h) and its consequences (entailed_items.h), as writes of its transaction.
#pragma once

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/requests/operation_plan.h"
#include "design/requests/pending_write.h"

namespace tavola::design {

// Adds what follows from a change. Consequences that need items that were not read yet note them (PendingWrites::want). `before` and `after` are the entity's fields; null: the entity does not exist
// then.
Result<void> add_consequences(const Call& call, const Entity& entity, const Item* before, const Item* after,
                              PendingWrites& writes);

}  // namespace tavola::design
