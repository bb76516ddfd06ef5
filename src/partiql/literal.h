// The values of literals and parameters in a statement.
#pragma once

#include <span>

#include <tavola/error.h>
#include <tavola/value.h>

#include "partiql/statement.h"

namespace tavola::partiql {

using Parameters = std::span<const Value>;

// Returns whether it is a literal or a parameter, not a path, function or operation.
bool is_value(const Expr& expr);

// Requires is_value(), or fails with "Unsupported data type". A parameter inside a list or a map is refused, as on AWS.
Result<Value> value_of(const Expr& expr, Parameters parameters);

// Returns the item of an INSERT: a map, or a parameter that is one. Its values may be parameters.
Result<Item> item_of(const Expr& expr, Parameters parameters);

}  // namespace tavola::partiql
