// The write rule of a governed table: what a design makes of a change from one image of an item to another. Whatever client
// wrote it, and however: PutItem, a partial update, a transaction. A pure function of both images and the moment.
//
//   before, after ─▶ which entity ─▶ states and transitions ─▶ computed fields ─▶ checks ─▶ the final item, and what else changes
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/companions.h"
#include "design/entity_item.h"
#include "design/model.h"

namespace tavola::design {

struct Governed {
  std::optional<Item> item;  // nothing: it is deleted
  std::vector<Companion> companions;
};

// Nothing for `before` or `after` means that there is no item. Fails with Validation when the change breaks the design
// ("Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]"), and with ConditionalCheckFailed when a
// lifecycle has no such transition.
//
// A field that the design computes may be sent, but only as it is computed; what was not sent anew is computed anew.
// Automatic moments are always the design's. A state may be changed by its attribute or by the key that holds it.
Result<Governed> govern(const Design& design, const std::optional<Item>& before,
                        const std::optional<Item>& after, const Moment& moment);

}  // namespace tavola::design
