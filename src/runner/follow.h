// Patterns that follow a reference: the items that a page of references names, by BatchGetItem.
#pragma once

#include <vector>

#include "runner/runner.h"

namespace tavola::runner {

// Adds to `found` the items that the pattern's `follow` names in each of `sources`, in their order. A missing item is counted; one that is
// softly deleted counts as missing. Fails as the database does, or if it leaves keys unprocessed many times.
Result<void> follow(const Runner::Parts& parts, const design::Pattern& pattern,
                    const std::vector<Found::One>& sources, Found& found);

}  // namespace tavola::runner
