// One value in a key: how a placeholder writes it as text, and what that text means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/template.h"

namespace tavola::design {

// Whether the text has digits only, and at least one.
bool is_digits(std::string_view text);

// Fails when reading the text would not give `value` again: it has another type than the field, is too wide or too precise.
// Never empty.
Result<std::string> write_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      const Value& value);
// Nothing when write_placeholder() writes no value so.
std::optional<Value> read_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      std::string_view text);

// About a value that cannot stand in a key: with BadParameter (bad_parameter.h), as it often comes from a parameter of that
// name.
Error bad_part(const std::string& field, std::string message);

// Fails when a key that `from` rendered to is longer than DynamoDB takes; the longest of its fields is told.
Result<void> check_key_length(const Template& from, const Item& fields, const Value& key,
                              std::size_t bytes_max);

}  // namespace tavola::design
