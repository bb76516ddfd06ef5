#include "json/reader.h"

#include <algorithm>
#include <unordered_set>

#include "base/ascii.h"
#include "base/utf8.h"

namespace tavola::json {
namespace {

using Kind = Node::Kind;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t bits) { out.push_back(static_cast<char>(bits)); };
  const auto rest = [&](unsigned shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    return rest(0);
  }
  if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    rest(6);
    return rest(0);
  }
  byte(0xF0U | (code >> 18U));
  rest(12);
  rest(6);
  rest(0);
}

class Reader {
 public:
  Reader(std::string_view text, int depth_max) : text_(text), depth_max_(depth_max) {}

  std::expected<Node, Problem> read_all() {
    Node node;
    skip_blanks();
    if (!read(node, 0)) return std::unexpected(problem_);
    skip_blanks();
    if (at_ != text_.size()) return std::unexpected(Problem{at_, "something follows the value"});
    return node;
  }

 private:
  bool wrong(std::string what) {
    problem_ = {at_, std::move(what)};
    return false;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  bool read(Node& node, int depth) {
    if (depth > depth_max_) return wrong("lists and objects are nested too deeply");
    node.begin = at_;
    const bool done = read_value(node, depth);
    node.end = at_;
    return done;
  }

  bool read_value(Node& node, int depth) {
    switch (next()) {
      case '{':
        return read_object(node, depth);
      case '[':
        return read_list(node, depth);
      case '"':
        node.kind = Kind::Text;
        return read_text(node.text);
      default:
        return read_word(node);
    }
  }

  bool read_word(Node& node) {
    const auto is = [&](std::string_view word, Kind kind) {
      if (!text_.substr(at_).starts_with(word)) return false;
      node.kind = kind;
      node.text = word;
      at_ += word.size();
      return true;
    };
    if (is("true", Kind::Boolean) || is("false", Kind::Boolean) || is("null", Kind::Null)) return true;
    return read_number(node);
  }

  bool read_number(Node& node) {
    const std::size_t begin = at_;
    take('-');
    if (!take('0') && !read_digits()) return wrong("a value is expected here");
    if (take('.') && !read_digits()) return wrong("digits are expected here");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!read_digits()) return wrong("digits are expected here");
    }
    node.kind = Kind::Number;
    node.text = text_.substr(begin, at_ - begin);
    return true;
  }

  bool read_digits() {
    const std::size_t begin = at_;
    while (is_digit(next())) ++at_;
    return at_ > begin;
  }

  bool read_list(Node& node, int depth) {
    node.kind = Kind::List;
    ++at_;
    skip_blanks();
    if (take(']')) return true;
    for (;;) {
      skip_blanks();
      if (!read(node.elements.emplace_back(), depth + 1)) return false;
      skip_blanks();
      if (take(']')) return true;
      if (!take(',')) return wrong("a comma or ] is expected here");
    }
  }

  bool read_object(Node& node, int depth) {
    node.kind = Kind::Object;
    ++at_;
    skip_blanks();
    if (take('}')) return true;
    std::unordered_set<std::string> names;
    for (;;) {
      skip_blanks();
      const std::size_t begin = at_;
      std::string name;
      if (next() != '"') return wrong("a name in quotes is expected here");
      if (!read_text(name)) return false;
      if (!names.insert(name).second) {
        at_ = begin;
        return wrong("\"" + name + "\" is repeated here");
      }
      skip_blanks();
      if (!take(':')) return wrong("a colon is expected here");
      skip_blanks();
      node.members.emplace_back(std::move(name), Node());
      if (!read(node.members.back().second, depth + 1)) return false;
      skip_blanks();
      if (take('}')) return true;
      if (!take(',')) return wrong("a comma or } is expected here");
    }
  }

  bool read_text(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a text must not contain control characters");
      if (c == '\\') {
        if (!read_escape(out)) return false;
        continue;
      }
      out.push_back(c);
      ++at_;
    }
    return wrong("the text is not closed");
  }

  bool read_escape(std::string& out) {
    ++at_;
    const char c = next();
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (c == 'u') return read_unicode(out);
    const std::size_t which = c == '\0' ? std::string_view::npos : kLetters.find(c);
    if (which == std::string_view::npos) return wrong("unknown escape");
    out.push_back(kMeanings[which]);
    ++at_;
    return true;
  }

  bool read_unicode(std::string& out) {
    std::uint32_t code = 0;
    if (!read_unit(code)) return false;
    constexpr std::uint32_t kHigh = 0xD800;
    constexpr std::uint32_t kLow = 0xDC00;
    constexpr std::uint32_t kEnd = 0xE000;
    if (code >= kHigh && code < kLow) {
      std::uint32_t low = 0;
      if (!text_.substr(at_).starts_with("\\u")) return wrong("an incomplete surrogate pair");
      ++at_;
      if (!read_unit(low)) return false;
      if (low < kLow || low >= kEnd) return wrong("an incomplete surrogate pair");
      code = 0x10000 + ((code - kHigh) << 10U) + (low - kLow);
    } else if (code >= kLow && code < kEnd) {
      return wrong("an incomplete surrogate pair");
    }
    append_utf8(out, code);
    return true;
  }

  // Reads four hexadecimal digits; the cursor is at the 'u' of \uXXXX.
  bool read_unit(std::uint32_t& unit) {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = next();
      const char lower = ascii_lower(c);
      if (!is_digit(lower) && (lower < 'a' || lower > 'f'))
        return wrong("four hexadecimal digits are expected here");
      unit = unit * 16 + static_cast<std::uint32_t>(is_digit(lower) ? lower - '0' : lower - 'a' + 10);
    }
    return true;
  }

  std::string_view text_;
  int depth_max_;
  std::size_t at_ = 0;
  Problem problem_{};
};

}  // namespace

const Node* Node::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &std::pair<std::string, Node>::first);
  return found == members.end() ? nullptr : &found->second;
}

std::string Node::text_at(std::string_view name) const {
  const Node* const found = find(name);
  return found == nullptr ? "" : found->text;
}

std::expected<Node, Problem> parse(std::string_view text, int depth_max) {
  if (!is_utf8(text)) return std::unexpected(Problem{0, "the text is not UTF-8"});
  return Reader(text, depth_max).read_all();
}

std::string position_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = before.size() - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
  return "(" + std::to_string(line) + "," + std::to_string(column) + ")";
}

}  // namespace tavola::json
