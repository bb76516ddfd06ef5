#include "engine/checks/tags.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/utf8.h"
#include "engine/checks/messages.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

std::size_t characters_of(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

// Accepts letters, digits and spaces of any script, and + - = . _ : / @. Everything beyond ASCII counts as a letter:
// AWS refuses symbols such as emoji, which would need the tables of Unicode.
bool is_tag_text(std::string_view text) {
  return is_utf8(text) && std::ranges::all_of(text, [](unsigned char c) {
           return c >= 0x80 || std::isalnum(c) != 0 || std::string_view(" +-=._:/@").contains(char(c));
         });
}

bool is_reserved(std::string_view key) {
  constexpr std::string_view kReserved = "aws:";
  return key.size() >= kReserved.size() &&
         std::ranges::equal(key.substr(0, kReserved.size()), kReserved,
                            [](unsigned char a, char b) { return std::tolower(a) == b; });
}

Result<void> check_tag_key(std::string_view key) {
  if (key.empty() || characters_of(key) > limits::kTagKeyCharsMax || !is_tag_text(key)) {
    return fail(tag_key_invalid(key));
  }
  if (is_reserved(key)) return fail(tag_key_reserved(key));
  return {};
}

}  // namespace

Result<void> check_tags(const Tags& tags) {
  for (const auto& [key, value] : tags) {
    TAVOLA_CHECK(check_tag_key(key));
    if (characters_of(value) > limits::kTagValueCharsMax || !is_tag_text(value)) {
      return fail(tag_value_invalid(value));
    }
  }
  if (tags.size() > limits::kTagsMax) return fail(too_many_tags());
  return {};
}

Result<void> check_tag_keys(std::span<const std::string> keys) {
  for (const std::string& key : keys) TAVOLA_CHECK(check_tag_key(key));
  if (keys.size() > limits::kTagsMax) return fail(too_many_tags());
  return {};
}

}  // namespace tavola::engine
