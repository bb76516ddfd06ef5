// Bytes as text: base64 (RFC 4648) and lower-case hexadecimal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola {

void append_base64(std::string& out, std::string_view bytes);
std::string to_base64(std::string_view bytes);
// Returns the bytes, or nullopt if `text` is not what to_base64 would have written: wrong length, an invalid character,
// or bits set that belong to no byte.
std::optional<std::string> from_base64(std::string_view text);

// base64url: URL-safe characters and no padding (RFC 4648, section 5).
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

std::string to_hex(std::string_view bytes);
// Returns the bytes, or nullopt on an odd length or an invalid character. Accepts upper and lower case.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace tavola
