// What every attribute name must be, at whichever door it comes in: not empty, not too long, UTF-8.
#pragma once

#include <string_view>

#include <tavola/error.h>

namespace tavola {

Result<void> check_attribute_name(std::string_view name);
// Only the last of the three.
Result<void> check_name_text(std::string_view name);

// The text of an attribute's value, or a text somewhere within it, is UTF-8.
Result<void> check_text(std::string_view text, std::string_view attribute);

}  // namespace tavola
