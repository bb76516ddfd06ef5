// Splits a key condition into its terms.
#pragma once

#include <tavola/error.h>

#include "expr/evaluate/bind.h"
#include "expr/evaluate/compile.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// `bindings` must have passed check_condition. Fails unless the condition is a conjunction with one condition per
// attribute; these messages have no "Invalid KeyConditionExpression" in front.
Result<KeyCondition> key_condition(const ast::Condition& tree, const Bindings& bindings);

}  // namespace tavola::expr
