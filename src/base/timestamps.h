// Times as text: ISO 8601 in UTC and whole seconds, 2024-01-31T12:00:00Z, which sorts by time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tavola {

// Drops fractions of a second. Covers the years 0000 to 9999: a time outside becomes the nearest one inside, so that
// the format, and with it the order, is kept.
std::string iso8601(WallTime moment);
// Accepts exactly that format, and only dates that exist.
std::optional<WallTime> parse_iso8601(std::string_view text);
// Parses 2024-01-31 as the midnight at its start.
std::optional<WallTime> parse_date(std::string_view text);

}  // namespace tavola
