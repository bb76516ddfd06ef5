// Positions within the texts of a file.
#pragma once

#include <cstddef>
#include <string_view>

#include "yaml/node.h"

namespace tavola::design {

// Returns where bytes [offset, offset + length) of a scalar's text stand in the file. Returns the whole scalar if it
// has escapes or several lines, because then the file does not hold the text as it is.
yaml::Span span_within(const yaml::Span& scalar, std::string_view text, std::size_t offset,
                       std::size_t length);

// Returns the number of code points, the unit of columns.
std::size_t characters(std::string_view text);
// Returns `count` characters of a text from number `begin` on, or as many as there are.
std::string_view characters_within(std::string_view text, std::size_t begin, std::size_t count);

}  // namespace tavola::design
