// Removes an item exactly if it is unchanged since it was archived.
#pragma once

#include "archive/archive.h"

namespace tavola::archive {

// Counts the outcome. A changed item stays: a later run archives it again.
Result<void> remove_as_archived(const Parts& parts, const design::Entity& entity, const PackedItem& archived,
                                Removal& removal);

}  // namespace tavola::archive
