// What the functions and operators of rules make of their operands.
#pragma once

#include <optional>
#include <span>

#include <tavola/error.h>
#include <tavola/value.h>

#include "expr/language/functions.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// Of every function that gives a value, but for First and IfNotExists, which do not look at all of their operands.
// `operands` are as many as it takes, none missing; of Join, those missing are empty texts.
Result<std::optional<Value>> apply_function(Function function, std::span<const Value> operands,
                                            const RuleInputs& inputs);

}  // namespace tavola::expr
