// The words that an expression may not use as attribute names, in any case, unless written as #placeholder.
#pragma once

#include <string_view>

namespace tavola::expr {

bool is_reserved_word(std::string_view word);

}  // namespace tavola::expr
