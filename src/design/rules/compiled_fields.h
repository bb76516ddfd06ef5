// The states and fields of the short way (compiled_rules.h): lifecycle_rule.h and field_rules.h on packed values.
#pragma once

#include "design/rules/packed_change.h"

namespace tavola::design {

// Decides the states, checks the given fields and computes the others. Returns false when govern() must decide.
bool decide_fields(PackedChange& change);

}  // namespace tavola::design
