#include "wire/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tavola::wire {
namespace {

// For each byte: 0 when it stands for itself, otherwise the letter of its escape ('u' for \u00xx).
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

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
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

JsonWriter& JsonWriter::name(std::string_view name) {
  before_value();
  append_json_text(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}

void JsonWriter::begin_object() {
  before_value();
  out_.push_back('{');
  needs_comma_ = false;
}

void JsonWriter::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
}

void JsonWriter::begin_list() {
  before_value();
  out_.push_back('[');
  needs_comma_ = false;
}

void JsonWriter::end_list() {
  out_.push_back(']');
  needs_comma_ = true;
}

void JsonWriter::text(std::string_view text) {
  before_value();
  append_json_text(out_, text);
}

void JsonWriter::integer(std::int64_t number) {
  before_value();
  std::array<char, 24> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), end);
}

void JsonWriter::decimal(double number) {
  before_value();
  std::array<char, 64> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  out_.append(digits.data(), end);
  if (number == std::floor(number)) out_.append(".0");
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_.append(value ? "true" : "false");
}

std::string& JsonWriter::raw() {
  before_value();
  return out_;
}

}  // namespace tavola::wire
