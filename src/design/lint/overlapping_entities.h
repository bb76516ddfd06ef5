// Whose items a pattern reads besides those it asks for.
#pragma once

#include <vector>

#include "design/model/model.h"

namespace tavola::design {

// The other entities whose keys fit the condition of a Query, before its filter; of a Scan, all others.
std::vector<const Entity*> also_read(const Design& design, const Pattern& pattern);

}  // namespace tavola::design
