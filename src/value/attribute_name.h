// Checks of attribute names, shared by all entry points: not empty, not too long, UTF-8.
#pragma once

#include <string_view>

#include <tavola/error.h>

namespace tavola {

Result<void> check_attribute_name(std::string_view name);
// Checks only that the name is UTF-8.
Result<void> check_name_text(std::string_view name);

// Checks that the text of an attribute's value, or a text inside it, is UTF-8.
Result<void> check_text(std::string_view text, std::string_view attribute);

}  // namespace tavola
