// JSON for people, over several lines. Short parts stay on one line.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

// `json` must be the output of a JsonWriter, without blanks between its parts. The result has no final line
// end.
std::string indented(std::string_view json);

}  // namespace tavola::workshop
