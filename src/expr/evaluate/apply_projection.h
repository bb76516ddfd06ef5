// The parts of an item that a projection names, in the structure they have in the item.
#pragma once

#include <span>

#include <tavola/packed.h>

#include "expr/language/path.h"

namespace tavola::expr {

// `paths` are ascending, without clashes. Paths that lead nowhere are skipped; list elements move together.
PackedItem project(const ItemView& item, std::span<const BoundPath> paths);

}  // namespace tavola::expr
