// Facets: the entities among the items of a page.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"items": [item, …]}, at most 1,000, as a Query or a Scan returned them
//   → {"entities": [{"entity", "title", "count", "sensitive": [attribute, …]}, …], "unknown": 2,
//      "items": [{"entity": "Product"} or {"why": "no entity has a key like PK=X#1, SK=Y"} or {"record": true}, …]}
// The entities stand in the order of the design, those without items, too. Internal records count in neither.
inline constexpr std::string_view kFacetsMembers = "items";
Result<std::string> facets(const Subject& subject, const Question& question);

}  // namespace tavola::lens
