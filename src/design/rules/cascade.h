// Cascades: the items that are deleted with an entity (`on_delete`).
#pragma once

#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"
#include "design/rules/request_images.h"
#include "design/rules/ruled_writes.h"

namespace tavola::design {

// Adds the deletions that the deletion of an entity entails. Those that are too many for one transaction are left in `remainders`.
Result<void> add_cascades(const Design& design, const RequestImage& deleted, RequestImages& images,
                          std::vector<RuledWrites::Remainder>& remainders);

// Returns the key of an item that is deleted with a deleted entity: the item that the pattern of the cascade found, or the source
// that it is a copy of. Returns nothing when the item is of another entity, or lacks a field of the key.
std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found);

}  // namespace tavola::design
