// Percent-encoding of keys and parameters (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola::objects {

// Returns nullopt if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);
// Encodes everything but unreserved characters and '/'.
std::string percent_encoded(std::string_view text);

}  // namespace tavola::objects
