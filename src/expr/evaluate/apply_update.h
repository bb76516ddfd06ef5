// The item after an update. Values are computed from the item as it was; then the item is written once:
// touched attributes anew, all others copied as they are.
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
