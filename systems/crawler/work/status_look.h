// The style sheet and the script of the status page.
#pragma once

#include <string_view>

namespace crawler {

extern const std::string_view kStatusStyle;
// Reads the page again every five seconds while its box is ticked and somebody can see it.
extern const std::string_view kStatusScript;

}  // namespace crawler
