// Moments as the three timestamp types write them. Iso has whole seconds: 2024-01-31T12:00:00Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/value.h>

#include "base/clock.h"
#include "design/attribute_type.h"

namespace tavola::design {

// 2024-01-31T12:00:00Z; what is smaller than a second is dropped. Years 0000 to 9999: a moment outside becomes the nearest
// one inside, so that the form, and with it the order, is kept.
std::string iso8601(WallTime moment);
// Of exactly that form, and a day that the calendar has.
std::optional<WallTime> parse_iso8601(std::string_view text);
// 2024-01-31
bool is_date(std::string_view text);

// A moment as a value of the timestamp type, and back; nothing when `value` is none.
Value write_moment(const AttributeType& type, WallTime moment);
std::optional<WallTime> read_moment(const AttributeType& type, const Value& value);

}  // namespace tavola::design
