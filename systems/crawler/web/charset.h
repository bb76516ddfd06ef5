// The character encoding of a page, and its text in UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace crawler {

// Returns the page as UTF-8. The encoding is, in this order: that of a byte order mark, the charset of the Content-Type header, that of
// a <meta> among the first 1024 bytes (as the HTML standard says), UTF-8 if the bytes are valid UTF-8, and otherwise windows-1252.
// Bytes that the encoding does not know become U+FFFD.
std::string to_utf8(std::string body, std::string_view content_type);

// Returns the value of a parameter of a header: charset of "text/html; charset=\"utf-8\"". Empty if missing.
std::string header_parameter(std::string_view header, std::string_view name);

bool is_valid_utf8(std::string_view text);

}  // namespace crawler
