// Why an item is, or is not, in the result of a pattern.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"key": key, "pattern": "lowStock", "parameters": {"shopId": "s1"}}
//   → {"found": false, "item": shown item or null,
//      "parts": [{"pattern": "lowStock", "found": false,
//                 "checks": [{"what": "item" | "entity" | "index" | "partition" | "range" | "filter", "holds": false, "text"}, …]}, …]}
// A union has a part for each of its patterns. The checks stand in the order in which the database makes them; those behind a failed one
// are made, too, as far as they can be.
inline constexpr std::string_view kWhyNotMembers = "key pattern parameters";
Result<std::string> why_not(const Subject& subject, const Question& question);

}  // namespace tavola::lens
