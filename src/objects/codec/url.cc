#include "objects/codec/url.h"

#include "base/ascii.h"
#include "base/encoding.h"

namespace tavola::objects {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte) return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || std::string_view("-_.~/").contains(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xfU];
  }
  return out;
}

}  // namespace tavola::objects
