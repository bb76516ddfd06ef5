// Places within the texts of a file.
#pragma once

#include <cstddef>
#include <string_view>

#include "yaml/node.h"

namespace tavola::design {

// Where bytes [offset, offset + length) of a scalar's text stand in the file. A scalar with escapes or of several lines is not
// written as its text is: of it, the whole.
yaml::Span span_within(const yaml::Span& scalar, std::string_view text, std::size_t offset,
                       std::size_t length);

// Code points, as columns are counted.
std::size_t characters(std::string_view text);
// So many characters of a text from number `begin` on, or as many as there are.
std::string_view characters_within(std::string_view text, std::size_t begin, std::size_t count);

}  // namespace tavola::design
