#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tavola::json {
namespace {

// Per byte: 0 if it is written as it is, otherwise the letter of its escape ('u' for \u00xx).
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t i = 0; i < 0x20; ++i) escapes[i] = 'u';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}();

// Whether one of eight bytes needs an escape, by the well-known tests for "a byte below n" and "a zero byte" in a word.
bool have_escape(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = kOnes * 0x80;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const auto zero_in = [](std::uint64_t w) { return (w - kOnes) & ~w; };
  const std::uint64_t below_blank = (word - kOnes * ' ') & ~word;
  return ((below_blank | zero_in(word ^ kOnes * '"') | zero_in(word ^ kOnes * '\\')) & kHighBits) != 0;
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (i + sizeof(std::uint64_t) < text.size() && !have_escape(text.data() + i))
      i += sizeof(std::uint64_t);
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 0) [[likely]]
      continue;
    out.append(text, copied, i - copied);
    copied = i + 1;
    out.push_back('\\');
    out.push_back(escape);
    if (escape == 'u') {
      out.append("00");
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
  out.append(text, copied);
  out.push_back('"');
}

Writer& Writer::name(std::string_view name) {
  before_value();
  append_text(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}

void Writer::begin_object() {
  before_value();
  out_.push_back('{');
  needs_comma_ = false;
}

void Writer::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
}

void Writer::begin_list() {
  before_value();
  out_.push_back('[');
  needs_comma_ = false;
}

void Writer::end_list() {
  out_.push_back(']');
  needs_comma_ = true;
}

void Writer::text(std::string_view text) {
  before_value();
  append_text(out_, text);
}

void Writer::integer(std::int64_t number) {
  before_value();
  std::array<char, 24> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), end);
}

void Writer::decimal(double number) {
  before_value();
  std::array<char, 64> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  out_.append(digits.data(), end);
  if (number == std::floor(number)) out_.append(".0");
}

void Writer::boolean(bool value) {
  before_value();
  out_.append(value ? "true" : "false");
}

std::string& Writer::raw() {
  before_value();
  return out_;
}

}  // namespace tavola::json
