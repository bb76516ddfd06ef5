// A design as JSON for a runtime that performs it (runtime/*.py): entities as items, patterns as requests, operations as
// steps, copies; rules as trees (rule_tree.h). Nothing is left to be looked up in the design's text.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns an object with a line for each entity, copy, pattern and operation.
std::string design_json(const design::Design& design);

}  // namespace tavola::workshop
