// Moments as values of the three timestamp types.
#pragma once

#include <optional>

#include <tavola/value.h>

#include "base/timestamps.h"
#include "design/model/attribute_type.h"

namespace tavola::design {

using tavola::iso8601;
using tavola::parse_iso8601;

// How a field of this type, which need not be a timestamp's, holds a moment.
AttributeType moment_type(const AttributeType& type);

// A moment as the timestamp type writes it, and back; nothing when `value` is none.
Value write_moment(const AttributeType& type, WallTime moment);
std::optional<WallTime> read_moment(const AttributeType& type, const Value& value);

}  // namespace tavola::design
