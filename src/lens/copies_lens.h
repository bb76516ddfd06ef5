// The copies lens: an item with what the design keeps beside it, and whether the two agree.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"key": key, "repair": false}
//   → {"item": shown item, "problems": [{"rule": "derived-value", "about": "Sale.totalAmount", "text", "computable": true}, …],
//      "source": {"copy": "ownedShops", "entity": "Shop", "key": key, "exists": true}, of a copy only,
//      "beside": [{"kind": "mirror" | "fanout" | "counter" | "unique", "name": "ownedShops", "entity": "OwnedShop", "key": key,
//                  "exists": true, "item": shown item}, …],
//      "repaired": 0}
// "problems" are those that drift finds about the item, its copies, guards and references; counters are counted by drift alone. With
// "repair", what can be computed is corrected first, conditionally on nothing having changed; "repaired" counts these corrections, and
// a problem that is left has "whyLeft".
inline constexpr std::string_view kCopiesMembers = "key repair";
Result<std::string> copies(const Subject& subject, const Question& question);

}  // namespace tavola::lens
