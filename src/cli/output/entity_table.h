// Entities for people: a table with a column for each field.
//
//   productId  name     currentStock
//   p1         Lamp              100
//   p2         Bulb                4
#pragma once

#include <string>
#include <vector>

#include "runner/runner.h"

namespace tavola::cli {

// Columns stand in the order of the design, without those that nobody has; numbers stand to the right, long texts are cut.
std::string entity_table(const std::vector<runner::Found::One>& entities);

}  // namespace tavola::cli
