// Moments as text: ISO 8601 in UTC and whole seconds, 2024-01-31T12:00:00Z, which sorts as time does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tavola {

// What is smaller than a second is dropped. Years 0000 to 9999: a moment outside becomes the nearest one inside, so that the
// form, and with it the order, is kept.
std::string iso8601(WallTime moment);
// Of exactly that form, and a day that the calendar has.
std::optional<WallTime> parse_iso8601(std::string_view text);
// 2024-01-31, the midnight that begins it.
std::optional<WallTime> parse_date(std::string_view text);

}  // namespace tavola
