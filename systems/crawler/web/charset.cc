#include "web/charset.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iconv.h>

#include "web/url.h"

namespace crawler {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kPrescanBytes = 1024;

// Returns the number of bytes of the character at the beginning of the text; 0 if it is not valid (Unicode, table 3-7).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool in_range = (first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) < 0xA0);
    return in_range && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool in_range = (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) < 0x90);
    return in_range && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string with_replacements(std::string text) {
  if (is_valid_utf8(text)) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    out += length == 0 ? kReplacement : rest.substr(0, length);
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// The HTML standard reads these labels as other encodings, which contain them.
std::string encoding_of_label(std::string_view label) {
  const std::string name = small_letters(trimmed(label));
  constexpr std::array<std::string_view, 6> kWestern = {"iso-8859-1", "latin1",   "latin-1",
                                                        "ascii",      "us-ascii", "l1"};
  if (std::ranges::find(kWestern, name) != kWestern.end()) return "windows-1252";
  if (name == "iso-8859-9") return "windows-1254";
  if (name == "gb2312") return "gbk";
  if (name == "utf8" || name == "unicode-1-1-utf-8") return "utf-8";
  return name;
}

// Returns the charset of a <meta charset=…> or <meta http-equiv content="…; charset=…"> near the beginning; empty if there is none.
std::string declared_in(std::string_view body) {
  const std::string head = small_letters(body.substr(0, kPrescanBytes));
  for (std::size_t at = head.find("<meta"); at != std::string::npos; at = head.find("<meta", at + 5)) {
    const std::string_view tag = std::string_view(head).substr(at, head.find('>', at) - at);
    const std::size_t charset = tag.find("charset");
    if (charset == std::string_view::npos) continue;
    std::string_view rest = trimmed(tag.substr(charset + 7));
    if (!rest.starts_with('=')) continue;
    rest = trimmed(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    const std::string label = encoding_of_label(rest.substr(0, rest.find_first_of("\"' ;/>")));
    return label.starts_with("utf-16") ? "utf-8"
                                       : label;  // the tag itself could be read, so it is not UTF-16
  }
  return {};
}

// Sets `known` to whether iconv knows the encoding; if not, returns an empty text.
std::string converted(std::string_view body, const std::string& encoding, bool& known) {
  iconv_t converter = iconv_open("UTF-8", encoding.c_str());
  known = converter != reinterpret_cast<iconv_t>(-1);
  if (!known) return {};
  std::string out;
  std::array<char, std::size_t{16} * 1024> piece;
  char* in = const_cast<char*>(body.data());
  std::size_t left = body.size();
  while (left > 0) {
    char* to = piece.data();
    std::size_t room = piece.size();
    const std::size_t status = iconv(converter, &in, &left, &to, &room);
    const int problem = errno;
    out.append(piece.data(), piece.size() - room);
    if (status != static_cast<std::size_t>(-1) || problem == E2BIG) continue;
    out += kReplacement;
    if (problem == EINVAL) break;  // the text ends within a character
    ++in;
    --left;
  }
  iconv_close(converter);
  return out;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string header_parameter(std::string_view header, std::string_view name) {
  for (std::size_t semicolon = header.find(';'); semicolon != std::string_view::npos;
       semicolon = header.find(';')) {
    header.remove_prefix(semicolon + 1);
    const std::string_view parameter = trimmed(header.substr(0, header.find(';')));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !same_letters(trimmed(parameter.substr(0, equals)), name))
      continue;
    std::string_view value = trimmed(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

std::string to_utf8(std::string body, std::string_view content_type) {
  std::string encoding;
  if (body.starts_with("\xEF\xBB\xBF")) {
    body.erase(0, 3);
    encoding = "utf-8";
  } else if (body.starts_with("\xFF\xFE")) {
    body.erase(0, 2);
    encoding = "utf-16le";
  } else if (body.starts_with("\xFE\xFF")) {
    body.erase(0, 2);
    encoding = "utf-16be";
  }
  if (encoding.empty()) encoding = encoding_of_label(header_parameter(content_type, "charset"));
  if (encoding.empty()) encoding = declared_in(body);
  if (encoding.empty()) encoding = is_valid_utf8(body) ? "utf-8" : "windows-1252";
  if (encoding == "utf-8") return with_replacements(std::move(body));
  bool known = false;
  std::string text = converted(body, encoding, known);
  if (known) return text;
  if (is_valid_utf8(body)) return body;
  return converted(body, "windows-1252", known);
}

}  // namespace crawler
