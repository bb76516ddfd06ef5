// The states of an entity: which transition a write makes, and when a state has lasted too long.
#pragma once

#include <cstdint>
#include <optional>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"
#include "design/rules/entity_change.h"

namespace tavola::design {

// Returns the attribute that holds the state; for a state that is a key, the sort key of its index.
const std::string& state_attribute(const Design& design, const Lifecycle& lifecycle);

// Decides the state after the change, and sets the fields that its transition sets. Returns whether there was a transition. Fails with
// ConditionalCheckFailed if the lifecycle has no such transition.
//
// An update that assigns the state asks for a transition, even if the item is in that state. A put that leaves the state asks for nothing.
// A state may be entered again if it says `again`, or by a transition from the state to itself: an update asks for that by a condition that
// holds in no other state, because one that does not look at the state is meant for an item in another one.
Result<bool> decide_state(EntityChange& change, const Lifecycle& lifecycle);

// Returns since when an entity is in a state, in milliseconds: the time in the state's key, or that of the latest transition or change.
std::optional<std::int64_t> since_when(const Entity& entity, const State& state, const Item& fields);

// Returns when an entity will be stuck: the earliest time of all its states that have a `stuck_after`, in milliseconds.
std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields);

}  // namespace tavola::design
