// Whose items a query returns besides those it asks for.
#pragma once

#include <vector>

#include "design/model.h"

namespace tavola::workshop {

// The other entities whose keys fit the condition of a Query, before its filter; of a Scan, all others.
std::vector<const design::Entity*> also_returned(const design::Design& design,
                                                 const design::Pattern& pattern);

}  // namespace tavola::workshop
