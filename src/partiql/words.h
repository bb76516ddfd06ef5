// The words of PartiQL that name nothing: an attribute called so must be written in double quotes.
#pragma once

#include <string_view>

namespace tavola::partiql {

// Of any case.
bool is_keyword(std::string_view word);
// A keyword that is a function's name when a parenthesis follows it: size(a).
bool is_function_keyword(std::string_view word);
// A keyword that stands between operands: AND, LIKE …
bool is_operator_keyword(std::string_view word);
// What may follow IS; some of them DynamoDB does not know.
bool is_type_name(std::string_view word);

}  // namespace tavola::partiql
