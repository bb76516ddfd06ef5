// Takes a key condition apart into its terms.
#pragma once

#include <tavola/error.h>

#include "expr/evaluate/bind.h"
#include "expr/evaluate/compile.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// `bindings` must have passed check_condition. Fails on everything that is no conjunction of one condition
// per attribute: these messages stand alone, without "Invalid KeyConditionExpression" in front.
Result<KeyCondition> key_condition(const ast::Condition& tree, const Bindings& bindings);

}  // namespace tavola::expr
