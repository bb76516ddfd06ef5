// Changes of a design that leave all items as they are.
#pragma once

#include "design/model/model.h"

namespace tavola::design {

// Returns whether every item that follows one design follows the other, too, judging by their texts: only comments, layout, words for
// people, patterns, operations, roles or sizes differ. With groups, patterns and operations count: stored permissions name them.
bool have_same_items(const Design& older, const Design& newer);

}  // namespace tavola::design
