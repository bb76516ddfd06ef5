// What values of one attribute have in common.
#pragma once

#include <string_view>
#include <vector>

#include <tavola/value.h>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {

// The narrowest type that all of `values` have, said as a design says it. `values` is not empty.
DraftField infer_field(std::string_view name, const std::vector<const Value*>& values);

}  // namespace tavola::workshop
