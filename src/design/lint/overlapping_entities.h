// Entities whose items a pattern reads in addition to those it asks for.
#pragma once

#include <vector>

#include "design/model/model.h"

namespace tavola::design {

// Returns the other entities whose keys match the condition of a Query, before its filter; for a Scan, all
// others.
std::vector<const Entity*> also_read(const Design& design, const Pattern& pattern);

}  // namespace tavola::design
