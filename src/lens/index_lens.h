// The index lens: an item beside its entry in every index, or why it has none.
#pragma once

#include <string>
#include <vector>

#include "design/items/entity_item.h"
#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// Returns the values that a rule reads, for people: "stock is 0, category has no value".
std::string values_in_words(const design::Entity& entity, const std::vector<std::vector<std::string>>& paths,
                            const Item& fields);

// Returns why an item of an entity is not in an index, judging by its fields; empty if it belongs there.
// "stock > 0 does not hold: stock is 0"
std::string why_not_indexed(const design::Entity& entity, const design::Index& index, const Item& fields);

// {"key": key}
//   → {"item": shown item,
//      "indexes": [{"index", "title", "local": false, "hash": "CATEGORY#<category>", "range": "PRODUCT#<productId>",
//                   "keys": {"GSI1PK": …}, the keys that the design computes, "entry": item or null,
//                   "why": why it has no entry or should have none, or what differs; empty if all is well,
//                   "unprojected": [attribute, …], "patterns": [pattern, …]}, …]}
inline constexpr std::string_view kIndexesMembers = "key";
Result<std::string> indexes(const Subject& subject, const Question& question);

}  // namespace tavola::lens
