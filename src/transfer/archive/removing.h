// Removing an item exactly if it is as it was archived.
#pragma once

#include "transfer/archive/archive.h"

namespace tavola::transfer {

// Counts what became of it. What has changed stays: a later run archives it as it is then.
Result<void> remove_as_archived(const ArchiveParts& parts, const design::Entity& entity,
                                const PackedItem& archived, Removal& removal);

}  // namespace tavola::transfer
