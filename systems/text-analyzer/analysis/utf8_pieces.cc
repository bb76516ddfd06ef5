#include "systems/text-analyzer/analysis/utf8_pieces.h"

#include <algorithm>
#include <simdjson.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

namespace tavola::text_analyzer {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";

// Returns how many bytes at the end of `bytes` can be the beginning of a character.
std::size_t unfinished_tail(std::string_view bytes) {
  const std::size_t longest = std::min<std::size_t>(3, bytes.size());
  for (std::size_t back = 1; back <= longest; ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if (U8_IS_TRAIL(byte)) continue;
    return U8_IS_LEAD(byte) && back < 1U + U8_COUNT_TRAIL_BYTES(byte) ? back : 0;
  }
  return 0;
}

// Returns the position of the first byte that is not part of a character.
std::size_t first_invalid(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view character =
        bytes.substr(at, 1U + U8_COUNT_TRAIL_BYTES(static_cast<unsigned char>(bytes[at])));
    if (!simdjson::validate_utf8(character)) break;
    at += character.size();
  }
  return at;
}

void append_utf8(std::string& out, UChar32 character) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

}  // namespace

Result<void> Utf8Pieces::add(std::string_view bytes) {
  held_ += bytes;
  return pass_on(false);
}

Result<void> Utf8Pieces::finish() { return pass_on(true); }

void Utf8Pieces::find_form(bool is_end) {
  if (held_.size() < kUtf8Mark.size() && !is_end) return;
  std::size_t mark = 0;
  form_ = Form::Utf8;
  if (held_.starts_with(kUtf8Mark)) {
    mark = kUtf8Mark.size();
  } else if (held_.starts_with(kLittleMark)) {
    form_ = Form::Utf16Little;
    mark = kLittleMark.size();
  } else if (held_.starts_with(kBigMark)) {
    form_ = Form::Utf16Big;
    mark = kBigMark.size();
  }
  held_.erase(0, mark);
  passed_ += mark;
}

Result<void> Utf8Pieces::pass_on(bool is_end) {
  if (form_ == Form::Unknown) find_form(is_end);
  if (form_ == Form::Unknown) return {};
  return form_ == Form::Utf8 ? pass_utf8(is_end) : pass_utf16(is_end);
}

Result<void> Utf8Pieces::pass_utf8(bool is_end) {
  const std::size_t whole = held_.size() - (is_end ? 0 : unfinished_tail(held_));
  const std::string_view text = std::string_view(held_).substr(0, whole);
  if (!simdjson::validate_utf8(text)) return fail(not_text(first_invalid(text), "is not valid UTF-8"));
  TAVOLA_CHECK(take_(text));
  held_.erase(0, whole);
  passed_ += whole;
  return {};
}

Result<void> Utf8Pieces::pass_utf16(bool is_end) {
  const std::size_t high = form_ == Form::Utf16Big ? 0 : 1;
  const auto unit_at = [&](std::size_t at) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(held_[index]); };
    return static_cast<char16_t>(byte(at + high) << 8U | byte(at + 1 - high));
  };
  utf8_.clear();
  std::size_t at = 0;
  while (at + 2 <= held_.size()) {
    const char16_t unit = unit_at(at);
    if (!U16_IS_SURROGATE(unit)) {
      append_utf8(utf8_, unit);
      at += 2;
      continue;
    }
    if (at + 4 > held_.size() && !is_end) break;
    const bool is_pair =
        U16_IS_SURROGATE_LEAD(unit) && at + 4 <= held_.size() && U16_IS_TRAIL(unit_at(at + 2));
    if (!is_pair) return fail(not_text(at, "is half of a character of UTF-16"));
    append_utf8(utf8_, U16_GET_SUPPLEMENTARY(unit, unit_at(at + 2)));
    at += 4;
  }
  if (is_end && at < held_.size()) return fail(not_text(at, "is half of a character of UTF-16"));
  TAVOLA_CHECK(take_(utf8_));
  held_.erase(0, at);
  passed_ += at;
  return {};
}

Error Utf8Pieces::not_text(std::size_t at, std::string_view why) const {
  std::string message = "The file is not text: byte " + std::to_string(passed_ + at + 1) + " ";
  message += why;
  message += ". Save it as UTF-8, or as UTF-16 with a byte order mark, and upload it again.";
  return Error::validation(std::move(message));
}

}  // namespace tavola::text_analyzer
