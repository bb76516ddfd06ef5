#include "base/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tavola {

namespace {

constexpr std::string_view kBase64Alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHexAlphabet = "0123456789abcdef";
constexpr std::uint8_t kForeign = 0xFF;

using Reverse = std::array<std::uint8_t, 256>;

constexpr Reverse reverse(std::string_view alphabet) {
  Reverse values{};
  values.fill(kForeign);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr Reverse kBase64Values = reverse(kBase64Alphabet);
constexpr Reverse kHexValues = [] {
  Reverse values = reverse(kHexAlphabet);
  for (char c = 'A'; c <= 'F'; ++c)
    values[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(c - 'A' + 10);
  return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const auto put = [&out](std::uint32_t group, int shift) {
    out.push_back(kBase64Alphabet[group >> shift & 63U]);
  };
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3) {
    const std::uint32_t group =
        byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    for (const int shift : {18, 12, 6, 0}) put(group, shift);
  }
  const std::size_t left = bytes.size() - at;
  if (left == 0) return;
  const std::uint32_t group = byte_at(bytes, at) << 16 | (left == 2 ? byte_at(bytes, at + 1) << 8 : 0U);
  put(group, 18);
  put(group, 12);
  if (left == 2) put(group, 6);
  out.append(left == 2 ? "=" : "==");
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  append_base64(text, bytes);
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const std::uint8_t value = kBase64Values[static_cast<unsigned char>(c)];
    if (value == kForeign) return std::nullopt;
    bits = bits << 6 | value;
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes.push_back(static_cast<char>(bits >> bit_count & 0xFFU));
    }
  }
  if ((bits & ((1U << bit_count) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string to_base64url(std::string_view bytes) {
  std::string text = to_base64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> from_base64url(std::string_view letters) {
  std::string text(letters);
  if (text.find_first_of("+/=") != std::string::npos) return std::nullopt;
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return from_base64(text);
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text.push_back(kHexAlphabet[byte_at(bytes, i) >> 4]);
    text.push_back(kHexAlphabet[byte_at(bytes, i) & 15U]);
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::uint8_t high = kHexValues[static_cast<unsigned char>(text[i])];
    const std::uint8_t low = kHexValues[static_cast<unsigned char>(text[i + 1])];
    if (high == kForeign || low == kForeign) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

}  // namespace tavola
