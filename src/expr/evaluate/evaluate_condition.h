// Whether a condition holds for an item. Decodes only the attributes the condition mentions.
#pragma once

#include <tavola/packed.h>

#include "expr/evaluate/bind.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// `bindings` must have passed check_condition. Does not allocate.
bool holds(const ast::Condition& tree, const Bindings& bindings, const ItemView& item);

}  // namespace tavola::expr
