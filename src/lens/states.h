// The states of items and the transitions between them, as the lenses of lifecycles share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "design/model/model.h"
#include "json/writer.h"
#include "lens/subject.h"

namespace tavola::lens {

// Returns the state of an item with these fields; null if it has none.
const design::State* state_of(const design::Lifecycle& lifecycle, const Item& fields);

// The time since which an item is in its state, and the time from which that is too long.
struct Stay {
  std::optional<WallTime> since;
  std::optional<WallTime> stuck_at;
  bool is_stuck = false;
};
Stay stay_in(const design::Entity& entity, const design::State& state, const Item& fields, WallTime now);

// Writes the members "since", "stuck" and "stuckAt" into an open object.
void write_stay(json::Writer& json, const Stay& stay);

// Returns a transition as an operation of its own, whose parameters are the fields of the key and those that the transition needs.
Result<design::Operation> operation_of(const design::Entity& entity, const design::Transition& transition);

// Writes the transitions of a lifecycle as a list.
Result<void> write_transitions(json::Writer& json, const design::Design& design, const design::Entity& entity,
                               const design::Lifecycle& lifecycle);

}  // namespace tavola::lens
