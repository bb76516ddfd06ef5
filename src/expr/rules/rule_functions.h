// Computes the functions and operators of rules.
#pragma once

#include <optional>
#include <span>

#include <tavola/error.h>
#include <tavola/number.h>
#include <tavola/value.h>

#include "expr/language/functions.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// Handles every function that returns a value, except First and IfNotExists, which do not evaluate all of their
// operands. `operands` has the right number, none missing; for Join, missing ones are empty texts.
Result<std::optional<Value>> apply_function(Function function, std::span<const Value> operands,
                                            const RuleInputs& inputs);

// Computes an operator of arithmetic; Negate ignores `right`.
Result<Number> calculate(Function function, const Number& left, const Number& right);

}  // namespace tavola::expr
