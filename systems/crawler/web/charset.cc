#include "web/charset.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iconv.h>
#include <utility>

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

// Labels of the Encoding standard that do not follow a pattern, with iconv's names. Where the standard reads a label as an encoding that
// contains the named one, so does this table.
constexpr auto kLabels = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"utf-8", "utf-8"},           {"utf8", "utf-8"},          {"unicode-1-1-utf-8", "utf-8"},
     {"utf-16", "utf-16le"},       {"utf-16le", "utf-16le"},   {"unicode", "utf-16le"},
     {"ucs-2", "utf-16le"},        {"utf-16be", "utf-16be"},   {"ascii", "windows-1252"},
     {"us-ascii", "windows-1252"}, {"latin1", "windows-1252"}, {"latin-1", "windows-1252"},
     {"l1", "windows-1252"},       {"latin2", "iso-8859-2"},   {"l2", "iso-8859-2"},
     {"cyrillic", "iso-8859-5"},   {"arabic", "iso-8859-6"},   {"greek", "iso-8859-7"},
     {"hebrew", "iso-8859-8"},     {"latin5", "windows-1254"}, {"latin-9", "iso-8859-15"},
     {"koi8-r", "koi8-r"},         {"koi8", "koi8-r"},         {"koi", "koi8-r"},
     {"koi8-u", "koi8-u"},         {"koi8-ru", "koi8-u"},      {"ibm866", "cp866"},
     {"cp866", "cp866"},           {"macintosh", "macintosh"}, {"x-mac-roman", "macintosh"},
     {"windows-874", "cp874"},     {"tis-620", "cp874"},       {"dos-874", "cp874"},
     {"gbk", "gb18030"},           {"gb2312", "gb18030"},      {"gb18030", "gb18030"},
     {"x-gbk", "gb18030"},         {"chinese", "gb18030"},     {"big5", "big5-hkscs"},
     {"big5-hkscs", "big5-hkscs"}, {"cn-big5", "big5-hkscs"},  {"x-x-big5", "big5-hkscs"},
     {"euc-jp", "euc-jp"},         {"x-euc-jp", "euc-jp"},     {"iso-2022-jp", "iso-2022-jp"},
     {"shift_jis", "cp932"},       {"shift-jis", "cp932"},     {"sjis", "cp932"},
     {"x-sjis", "cp932"},          {"windows-31j", "cp932"},   {"ms932", "cp932"},
     {"euc-kr", "cp949"},          {"korean", "cp949"},        {"ks_c_5601-1987", "cp949"},
     {"ksc5601", "cp949"},         {"windows-949", "cp949"}});

// Returns what follows one of the prefixes; empty if none is there.
std::string_view after_prefix(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

// Returns iconv's name of the encoding that a browser reads under a label; empty if browsers know none. Labels come from pages: no other
// text reaches iconv.
std::string encoding_of_label(std::string_view label) {
  const std::string name = small_letters(trimmed(label));
  const auto* const found =
      std::ranges::find(kLabels, std::string_view(name), &decltype(kLabels)::value_type::first);
  if (found != kLabels.end()) return std::string(found->second);
  const std::string_view of_windows = after_prefix(name, {"windows-", "x-cp", "cp"});
  if (of_windows.size() == 4 && of_windows >= "1250" && of_windows <= "1258")
    return "windows-" + std::string(of_windows);
  const std::string_view part = after_prefix(name, {"iso-8859-", "iso8859-", "iso_8859-", "iso8859"});
  if (part == "1") return "windows-1252";
  if (part == "9") return "windows-1254";
  if (part == "11") return "cp874";
  constexpr auto kParts =
      std::to_array<std::string_view>({"2", "3", "4", "5", "6", "7", "8", "10", "13", "14", "15", "16"});
  return std::ranges::find(kParts, part) == kParts.end() ? "" : "iso-8859-" + std::string(part);
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

std::string converted(std::string_view body, const std::string& encoding) {
  iconv_t converter = iconv_open("UTF-8", encoding.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) return with_replacements(std::string(body));
  std::string out;
  std::array<char, std::size_t{16} * 1024> piece;
  char* in = const_cast<char*>(body.data());
  std::size_t left = body.size();
  const auto convert = [&](char** from) {
    char* to = piece.data();
    std::size_t room = piece.size();
    const std::size_t status = iconv(converter, from, &left, &to, &room);
    const int problem = errno;
    out.append(piece.data(), piece.size() - room);
    return status == static_cast<std::size_t>(-1) ? problem : 0;
  };
  while (left > 0) {
    const int problem = convert(&in);
    if (problem == 0 || problem == E2BIG) continue;
    out += kReplacement;
    if (problem == EINVAL) break;  // the text ends within a character
    ++in;
    --left;
  }
  convert(nullptr);  // the last letter, which some converters keep back: a mark may follow it
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
  return converted(body, encoding);
}

}  // namespace crawler
