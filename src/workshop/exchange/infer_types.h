// The common properties of an attribute's values.
#pragma once

#include <string_view>
#include <vector>

#include <tavola/value.h>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {

// Returns the narrowest type of all `values`, in the notation of designs. `values` is not empty.
DraftField infer_field(std::string_view name, const std::vector<const Value*>& values);

}  // namespace tavola::workshop
