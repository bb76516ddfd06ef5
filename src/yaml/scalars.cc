#include "yaml/scalars.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tavola::yaml {
namespace {

constexpr std::string_view kFlowEnds = ",[]{}";

Problem fault_at(Source& in, Place begin, std::string_view code, std::string message, std::string advice) {
  return {{begin, in.place()}, code, std::move(message), std::move(advice)};
}

// ---- Quoted ----

// Reads a line break in a quoted text: one line end is a space, further ones are kept.
void fold_lines(Source& in, std::string& text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
  std::size_t ends = 0;
  while (in.at_line_end() && !in.at_end()) {
    in.skip_line_end();
    in.skip_spaces();
    ++ends;
  }
  ends == 1 ? text.append(" ") : text.append(ends - 1, '\n');
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU))); };
  if (code < 0x80) {
    text.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6), tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12), tail(6), tail(0);
  }
}

std::optional<std::uint32_t> read_hex(Source& in, int digits) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = in.peek();
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    code = code * 16 + static_cast<std::uint32_t>(digit);
    in.next();
  }
  return code;
}

// A surrogate after \u must be followed by its other half, as in JSON.
std::optional<std::uint32_t> read_code_point(Source& in, int digits) {
  const auto first = read_hex(in, digits);
  if (!first || *first > 0x10FFFF) return std::nullopt;
  if (*first < 0xD800 || *first > 0xDFFF) return first;
  if (*first > 0xDBFF || !in.starts_with("\\u")) return std::nullopt;
  in.skip(2);
  const auto second = read_hex(in, 4);
  if (!second || *second < 0xDC00 || *second > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
}

// Reads the escape after the backslash. Returns false if it is unknown.
bool read_escape(Source& in, std::string& text) {
  constexpr std::array<std::pair<char, std::string_view>, 18> kEscapes{{{'0', std::string_view("\0", 1)},
                                                                        {'a', "\a"},
                                                                        {'b', "\b"},
                                                                        {'t', "\t"},
                                                                        {'\t', "\t"},
                                                                        {'n', "\n"},
                                                                        {'v', "\v"},
                                                                        {'f', "\f"},
                                                                        {'r', "\r"},
                                                                        {'e', "\x1b"},
                                                                        {' ', " "},
                                                                        {'"', "\""},
                                                                        {'/', "/"},
                                                                        {'\\', "\\"},
                                                                        {'N', "\xC2\x85"},
                                                                        {'_', "\xC2\xA0"},
                                                                        {'L', "\xE2\x80\xA8"},
                                                                        {'P', "\xE2\x80\xA9"}}};
  if (in.at_line_end() && !in.at_end()) {  // the line continues without a space
    in.skip_line_end();
    in.skip_spaces();
    return true;
  }
  const char c = in.peek();
  const int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits > 0) {
    in.next();
    const auto code = read_code_point(in, digits);
    if (code) append_utf8(text, *code);
    return code.has_value();
  }
  const auto* const known = std::ranges::find(kEscapes, c, &std::pair<char, std::string_view>::first);
  if (known == kEscapes.end() || in.at_end()) return false;
  text.append(known->second);
  in.next();
  return true;
}

Node begin_scalar(const Source& in, Style style) {
  Node node;
  node.kind = Kind::Text;
  node.style = style;
  node.span.begin = in.place();
  return node;
}

Problem not_closed(Source& in, const Node& node, char quote) {
  return fault_at(in, node.span.begin, "yaml/open-quote",
                  "This text has no closing " + std::string(1, quote) + ".",
                  "End it with " + std::string(1, quote) + ".");
}

// ---- Block scalars ----

struct BlockHeader {
  bool folds = false;
  char chomp = ' ';          // '-' no line end at the end, '+' all of them
  std::uint32_t indent = 0;  // given; 0: that of the first line
};

BlockHeader read_block_header(Source& in) {
  BlockHeader header{.folds = in.peek() == '>'};
  in.next();
  for (int i = 0; i < 2; ++i) {
    if (in.peek() == '-' || in.peek() == '+') {
      header.chomp = in.peek();
      in.next();
    } else if (in.peek() >= '1' && in.peek() <= '9') {
      header.indent = static_cast<std::uint32_t>(in.peek() - '0');
      in.next();
    }
  }
  return header;
}

struct BlockLine {
  std::string_view text;
  bool is_indented_more = false;  // begins with a space: never folded
};

// Reads the lines below, without their common indentation. Ends before the first line that is indented less; `end`
// becomes the position after the last line that is not empty.
std::vector<BlockLine> read_block_lines(Source& in, std::uint32_t indent, std::uint32_t indent_min,
                                        Place& end) {
  std::vector<BlockLine> lines;
  while (!in.at_end()) {
    Source ahead = in;
    while (ahead.peek() == ' ' && (indent == 0 || ahead.indent() < indent)) ahead.next();
    if (!ahead.at_line_end()) {
      if (indent == 0 && ahead.indent() >= indent_min) indent = ahead.indent();
      if (indent == 0 || ahead.indent() < indent) break;
    }
    in = ahead;
    const std::size_t begin = in.offset();
    in.skip_to_line_end();
    const std::string_view text = in.since(begin);
    lines.push_back({text, text.starts_with(' ') || text.starts_with('\t')});
    if (!text.empty()) end = in.place();
    if (in.at_end()) break;
    in.skip_line_end();
  }
  return lines;
}

std::string joined_block(const std::vector<BlockLine>& lines, const BlockHeader& header) {
  std::size_t used = lines.size();
  while (used > 0 && lines[used - 1].text.empty()) --used;
  std::string text;
  std::size_t empty = 0;
  bool folds_here = false;
  for (std::size_t i = 0; i < used; ++i) {
    const BlockLine& line = lines[i];
    if (line.text.empty()) {
      ++empty;
      continue;
    }
    if (!text.empty() || empty > 0) {
      const bool joins = header.folds && folds_here && !line.is_indented_more;
      if (text.empty()) {
        text.append(empty, '\n');
      } else if (joins) {
        empty == 0 ? text.append(" ") : text.append(empty, '\n');
      } else {
        text.append(empty + 1, '\n');
      }
    }
    text.append(line.text);
    empty = 0;
    folds_here = !line.is_indented_more;
  }
  if (header.chomp == '+') {
    text.append(lines.size() - used + (used > 0 ? 1 : 0), '\n');
  } else if (header.chomp == ' ' && used > 0) {
    text.push_back('\n');
  }
  return text;
}

bool is_number(std::string_view text) {
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (!digits(exponent)) return false;
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return digits(text);
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(point + 1);
  return (digits(whole) && (fraction.empty() || digits(fraction))) || (whole.empty() && digits(fraction));
}

}  // namespace

Node read_single_quoted(Source& in, Fault& fault) {
  Node node = begin_scalar(in, Style::SingleQuoted);
  in.next();
  for (;;) {
    if (in.at_end()) {
      fault = not_closed(in, node, '\'');
      break;
    }
    if (in.at_line_end()) {
      fold_lines(in, node.text);
      continue;
    }
    const char c = in.peek();
    in.next();
    if (c == '\'') {
      if (in.peek() != '\'') break;
      in.next();
    }
    node.text.push_back(c);
  }
  node.span.end = in.place();
  return node;
}

Node read_double_quoted(Source& in, Fault& fault) {
  Node node = begin_scalar(in, Style::DoubleQuoted);
  in.next();
  while (in.peek() != '"' || in.at_end()) {
    if (in.at_end()) {
      fault = not_closed(in, node, '"');
      break;
    }
    if (in.at_line_end()) {
      fold_lines(in, node.text);
      continue;
    }
    if (in.peek() != '\\') {
      node.text.push_back(in.peek());
      in.next();
      continue;
    }
    const Place begin = in.place();
    in.next();
    if (!read_escape(in, node.text) && !fault) {
      fault = fault_at(in, begin, "yaml/escape", "A text in double quotes has no such escape.",
                       "Write \\\\ for a backslash, or use single quotes.");
    }
  }
  in.next();
  node.span.end = in.place();
  return node;
}

Node read_block_scalar(Source& in, std::uint32_t indent_min, Fault& fault) {
  Node node = begin_scalar(in, in.peek() == '>' ? Style::Folded : Style::Literal);
  const BlockHeader header = read_block_header(in);
  in.skip_spaces();
  if (in.peek() == '#') {
    const std::size_t begin = in.offset();
    in.skip_to_line_end();
    node.comment_beside = in.since(begin);
  } else if (!in.at_line_end()) {
    const Place begin = in.place();
    in.skip_to_line_end();
    fault = fault_at(in, begin, "yaml/block-text", "A text that begins with | or > starts on the next line.",
                     "Move it below, indented, or quote it.");
  }
  node.span.end = in.place();
  in.skip_line_end();
  const std::uint32_t indent = header.indent == 0 ? 0 : indent_min - 1 + header.indent;
  node.text = joined_block(read_block_lines(in, indent, indent_min, node.span.end), header);
  return node;
}

std::string_view read_plain_line(Source& in, Context context) {
  const std::size_t begin = in.offset();
  std::size_t end = begin;
  while (!in.at_line_end()) {
    const char c = in.peek();
    const bool ends_flow = context == Context::Flow && kFlowEnds.contains(c);
    if (ends_flow || (c == '#' && in.is_behind_blank())) break;
    if (c == ':' && (in.is_blank(1) || (context == Context::Flow && kFlowEnds.contains(in.peek(1))))) break;
    in.next();
    if (c != ' ' && c != '\t') end = in.offset();
  }
  return in.since(begin).substr(0, end - begin);
}

Kind plain_kind(std::string_view text) {
  constexpr std::string_view kNulls[] = {"", "~", "null", "Null", "NULL"};
  constexpr std::string_view kBools[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
  if (std::ranges::find(kNulls, text) != std::end(kNulls)) return Kind::Null;
  if (std::ranges::find(kBools, text) != std::end(kBools)) return Kind::Bool;
  return is_number(text) ? Kind::Number : Kind::Text;
}

}  // namespace tavola::yaml
