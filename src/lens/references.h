// References in both directions: the items that an item names, and those that name it.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"key": key}
//   → {"item": shown item,
//      "names": [{"field": "shopId", "entity": "Shop", "key": key, "exists": true}, …], at most 100,
//      "namedBy": [{"entity": "Review", "field": "product", "index": "", "hash": value, "range": "REVIEW#", "count": 3, "more": false,
//                    "samples": [key, … at most 5], "patterns": [pattern, …]},
//                   {"entity": …, "field": …, "why": "no key of Review begins with product"}, …]}
// Counts those that name the item by a query where the design has a key for it. `more`: the query was longer than one call reads.
inline constexpr std::string_view kReferencesMembers = "key";
Result<std::string> references(const Subject& subject, const Question& question);

}  // namespace tavola::lens
