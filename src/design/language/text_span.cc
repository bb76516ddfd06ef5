#include "design/language/text_span.h"

#include <algorithm>
#include <cstdint>

namespace tavola::design {

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Returns the number of bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++seen > count) return i;
  }
  return text.size();
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view characters_within(std::string_view text, std::size_t begin, std::size_t count) {
  text.remove_prefix(bytes_of(text, begin));
  return text.substr(0, bytes_of(text, count));
}

yaml::Span span_within(const yaml::Span& scalar, std::string_view text, std::size_t offset,
                       std::size_t length) {
  const std::size_t width = characters(text);
  const std::size_t written = scalar.end.column - scalar.begin.column;
  const bool is_quoted = written == width + 2;
  const bool as_written =
      scalar.begin.line == scalar.end.line && (written == width || is_quoted) && offset <= text.size();
  if (!as_written) return scalar;
  const std::size_t begin = scalar.begin.column + (is_quoted ? 1 : 0) + characters(text.substr(0, offset));
  const std::size_t count = std::max<std::size_t>(1, characters(text.substr(offset, length)));
  return {{scalar.begin.line, static_cast<std::uint32_t>(begin)},
          {scalar.begin.line, static_cast<std::uint32_t>(begin + count)}};
}

}  // namespace tavola::design
