// Patterns as requests.
#pragma once

#include <variant>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"

namespace tavola::design {

using ReadRequest = std::variant<GetItemRequest, QueryRequest, ScanRequest>;

// Returns the request of a pattern that is a Get, a Query or a Scan, for checked parameters (arguments.h).
Result<ReadRequest> read_request(const Design& design, const Pattern& pattern, const Item& parameters,
                                 const Ambient& ambient);
// Fails with BadParameter if the range of the pattern ends before it begins: DynamoDB's error would be about keys.
Result<void> check_range(const Design& design, const Pattern& pattern, const Item& parameters);

// Returns the entity that a pattern other than a union returns: its own, the one that it follows a reference to, or the row of an aggregate.
const Entity* found_by(const Design& design, const Pattern& pattern);
// Returns the entity whose items an aggregate of the pattern computes with; null if they are of several, or if no request serves it.
const Entity* aggregated_entity(const Design& design, const Pattern& pattern);
// Returns the patterns that a pattern runs, in order: its parts, those of the aggregated pattern, or itself.
std::vector<const Pattern*> parts_of(const Design& design, const Pattern& pattern);

}  // namespace tavola::design
