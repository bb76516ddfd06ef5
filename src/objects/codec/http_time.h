// Times in headers: "Sun, 09 Jun 2013 10:07:59 GMT" (RFC 9110, section 5.6.7), to the second.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tavola::objects {

std::string http_time(WallTime moment);
std::optional<WallTime> parse_http_time(std::string_view text);

}  // namespace tavola::objects
