// Times as values of the timestamp types.
#pragma once

#include <optional>

#include <tavola/value.h>

#include "base/timestamps.h"
#include "design/model/attribute_type.h"

namespace tavola::design {

using tavola::iso8601;
using tavola::normal_iso8601;
using tavola::parse_any_iso8601;
using tavola::parse_iso8601;

// Returns the type in which a field of this type, which need not be a timestamp, holds a time.
AttributeType moment_type(const AttributeType& type);

// Returns a time that a program wrote in the form of its timestamp type: in UTC, and with its precision. Returns other values unchanged.
Value normal_time(const AttributeType& type, const Value& value);

// Write a time as the timestamp type does, and read it back; nullopt if `value` has another form.
Value write_moment(const AttributeType& type, WallTime moment);
std::optional<WallTime> read_moment(const AttributeType& type, const Value& value);

}  // namespace tavola::design
