// The text of one value in a key: how a placeholder writes a value and reads it back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/template.h"

namespace tavola::design {

// Returns whether the text has digits only, and at least one.
bool is_digits(std::string_view text);

// Returns whether the text is a day: 2024-01-31.
bool is_day(std::string_view text);

// Returns the text, never empty. Fails if reading the text would not return `value`: it has another type than the
// field, or is too wide or too precise. A day of a time (Format::Date) is never read back: the field is stored beside the key.
Result<std::string> write_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      const Value& value);
// Returns nullopt if write_placeholder() writes no value so.
std::optional<Value> read_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      std::string_view text);

// Returns the error about a value that cannot stand in a key, with BadParameter (bad_parameter.h), because the value
// often comes from a parameter of that name.
Error bad_part(const std::string& field, std::string message);

// Fails if a key that `from` rendered to is longer than DynamoDB accepts; the message names the longest of
// its fields.
Result<void> check_key_length(const Template& from, const Item& fields, const Value& key,
                              std::size_t bytes_max);

}  // namespace tavola::design
