// The tree of keys: partition keys by their templates, below them the sort keys of each entity, with counts.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"index": "GSI1", "items": 5000, "page": key}
//   → {"read": 5000, "next": key or null, "unknown": 3, "samples": [{"key", "why"}, … at most 10],
//      "branches": [{"hash": "SHOP#<shopId>", "items": 4000, "partitions": 31,
//                    "largest": [{"value": value, "items": 120}, … at most 100],
//                    "entities": [{"entity", "title", "range": "PRODUCT#<productId>", "items": 900, "patterns": [pattern, …]}, …]}, …]}
// Counts what it has read; the sum of all pages is the whole table or index: a partition is counted on the page where it begins. The branches
// stand in the order of the design.
inline constexpr std::string_view kKeyTreeMembers = "index items page";
Result<std::string> key_tree(const Subject& subject, const Question& question);

}  // namespace tavola::lens
