// Computes the item after an update. Values are computed from the item before it; then the item is written once: edited
// attributes are written anew, all others are copied.
#pragma once

#include <tavola/error.h>
#include <tavola/packed.h>

#include "expr/evaluate/bind.h"
#include "expr/evaluate/compile.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// `bindings` must come from bind_update.
Result<PackedItem> apply_update(const ast::Update& tree, const Bindings& bindings, const ItemView& before,
                                ItemState state);

}  // namespace tavola::expr
