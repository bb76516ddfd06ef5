// The states of an entity: which transition a write makes, and when a state has lasted too long.
#pragma once

#include <cstdint>
#include <optional>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"
#include "design/rules/entity_change.h"

namespace tavola::design {

// Decides the state after the change, and sets the fields that its transition sets. Returns whether there was a transition. Fails with
// ConditionalCheckFailed if the lifecycle has no such transition.
Result<bool> decide_state(EntityChange& change, const Lifecycle& lifecycle);

// Returns when an entity will be stuck: the earliest time of all its states that have a `stuck_after`, in milliseconds.
std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields);

}  // namespace tavola::design
