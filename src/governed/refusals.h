// Refuses designs with rules that a front cannot keep because the items are on another server. A front says so when it starts, rather than
// keeping a rule partly.
#pragma once

#include <tavola/error.h>
#include <tavola/requests.h>

#include "design/model/model.h"

namespace tavola::governed {

// Fails with Validation and the first rule of the design that a front cannot keep.
Result<void> check_can_keep(const design::Design& design);

// Fails with Validation if items of the table must not expire by this attribute: something else would have to follow.
Result<void> check_can_expire(const design::Design& design, const std::string& ttl);

// Returns whether writes of the design need transactions over several items.
bool needs_transactions(const design::Design& design);
Error has_no_transactions(const design::Design& design, const Error& why);

}  // namespace tavola::governed
