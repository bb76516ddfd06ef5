// A text that a regular expression matches, for sample data of fields with a `pattern`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workshop/sample/dice.h"

namespace tavola::workshop {

// Supports the syntax of design patterns: characters, classes, groups, alternatives and repetitions. Returns nullopt
// for the rest (look-ahead, references).
std::optional<std::string> matching_text(std::string_view pattern, Dice& dice);

}  // namespace tavola::workshop
