// One partition of a table or an index, as lanes: its items by entity, in the order of the sort key.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"hash": value, "index": "GSI1", "limit": 200, "page": key}
//   → {"hash": {"attribute": "PK", "value": value}, "count": 12, "next": key or null,
//      "lanes": [{"entity", "title", "range": "PRODUCT#<productId>", "patterns": [pattern, …], "items": [shown item, …]}, …],
//      "unknown": [shown item, …]}
// Reads one page. The lanes stand in the order of the design, those with items only.
inline constexpr std::string_view kPartitionMembers = "hash index limit page";
Result<std::string> partition(const Subject& subject, const Question& question);

}  // namespace tavola::lens
