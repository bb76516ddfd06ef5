#include "base/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tavola {

namespace {

// Skips eight bytes at a time: text is mostly ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (at + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + at, sizeof block);
    if ((block & kHighBits) != 0) break;
    at += sizeof block;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// Returns the length of the well-formed multi-byte sequence at `at`, or 0. The ranges are those of table 3-7
// ("Well-Formed UTF-8 Byte Sequences") of the Unicode standard.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  const auto continues = [&](std::size_t offset) { return (byte(offset) & 0xC0U) == 0x80U; };
  const auto in_range = [](unsigned value, unsigned low, unsigned high) {
    return low <= value && value <= high;
  };

  const unsigned lead = byte(0);
  if (in_range(lead, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (in_range(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return in_range(byte(1), low, high) && continues(2) ? 3 : 0;
  }
  if (in_range(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return in_range(byte(1), low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace tavola
