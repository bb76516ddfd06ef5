// What a literal or a parameter of a statement stands for.
#pragma once

#include <span>

#include <tavola/error.h>
#include <tavola/value.h>

#include "partiql/statement.h"

namespace tavola::partiql {

using Parameters = std::span<const Value>;

// Whether it is a literal or a parameter, and no path, function or operation.
bool is_value(const Expr& expr);

// Requires is_value(), or fails with "Unsupported data type". A parameter may not stand inside of a list or a map, which AWS
// refuses, too.
Result<Value> value_of(const Expr& expr, Parameters parameters);

// The item of an INSERT: a map, or a parameter that is one. Its values may be parameters.
Result<Item> item_of(const Expr& expr, Parameters parameters);

}  // namespace tavola::partiql
