// The reserved words of PartiQL: an attribute of such a name must be written in double quotes.
#pragma once

#include <string_view>

namespace tavola::partiql {

// Case-insensitive.
bool is_keyword(std::string_view word);
// Returns whether a keyword is a function's name if a parenthesis follows it: size(a).
bool is_function_keyword(std::string_view word);
// Returns whether a keyword is an operator between operands: AND, LIKE …
bool is_operator_keyword(std::string_view word);
// Returns whether a word may follow IS; DynamoDB does not support all of them.
bool is_type_name(std::string_view word);

}  // namespace tavola::partiql
