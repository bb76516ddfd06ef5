// Looks for writes that broke a design, in the stream of its table: every change must be one that the rules of the design leave as it is. A
// change whose item was made right by a later one is found, too.
//
// Only what one item says by itself is checked: its entity, its fields, its derived values and index keys, its states. Copies, counters and
// unique guards are compared by drift/, because the records of one transaction come apart.
#pragma once

#include <optional>
#include <string>

#include <tavola/streams.h>

#include "base/clock.h"
#include "design/model/model.h"

namespace tavola::governed {

struct AuditFinding {
  std::string key;  // of the item, as JSON
  std::string why;
  WallTime at{};
};

// Returns nothing if the change keeps the design, or is one of an internal record. The record must have both images.
std::optional<AuditFinding> audit(const design::Design& design, const StreamRecord& record);

}  // namespace tavola::governed
