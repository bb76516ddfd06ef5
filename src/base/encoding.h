// Bytes as text: base64 (RFC 4648) and lower-case hexadecimal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola {

void append_base64(std::string& out, std::string_view bytes);
std::string to_base64(std::string_view bytes);
// The bytes, or nothing when `text` is not what to_base64 would have written: wrong length, a foreign
// character, or bits set that belong to no byte.
std::optional<std::string> from_base64(std::string_view text);

// The same with the letters of URLs and without padding (RFC 4648, section 5).
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

std::string to_hex(std::string_view bytes);
// The bytes, or nothing on an odd length or a foreign character. Takes both cases.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace tavola
