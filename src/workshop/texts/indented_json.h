// JSON for people: the same text, over lines. What is short stays on one.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

// `json` must be what a json::Writer wrote, without blanks between its parts. Ends without a line end.
std::string indented(std::string_view json);

}  // namespace tavola::workshop
