// Times as text: ISO 8601 in UTC, 2024-01-31T12:00:00Z, with a fixed number of digits of the second, so that it sorts by time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tavola {

// Writes `digits` digits of the fraction of a second, and drops the others. Covers the years 0000 to 9999: a time outside becomes the nearest one inside, so that
// the format, and with it the order, is kept.
std::string iso8601(WallTime moment, unsigned digits = 0);
// Writes the same with whole seconds, and allocates nothing: every governed write may make one.
using Iso8601Text = std::array<char, 20>;
Iso8601Text iso8601_text(WallTime moment);
// Accepts exactly that format with whole seconds, and only dates that exist.
std::optional<WallTime> parse_iso8601(std::string_view text);

// The forms of a time that programs write: any number of digits of the second up to nine, and Z or an offset such as +01:00, +0100
// or +01. A time without either is not accepted, because nobody knows when it is.
//
// Returns the same time in the format above; digits that do not fit are dropped. Returns nullopt if `text` is not a time, or lies
// outside of the years 0000 to 9999 in UTC.
std::optional<std::string> normal_iso8601(std::string_view text, unsigned digits);
// Parses any of these forms, to the millisecond.
std::optional<WallTime> parse_any_iso8601(std::string_view text);
// Parses 2024-01-31 as the midnight at its start.
std::optional<WallTime> parse_date(std::string_view text);

}  // namespace tavola
