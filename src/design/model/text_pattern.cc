#include "design/model/text_pattern.h"

#include <expected>
#include <mutex>
#include <re2/re2.h>
#include <utility>

#include "base/assert.h"

namespace tavola::design {
namespace {

// The memory of one compiled pattern. RE2 gives a quarter of it to the program: some 16,000 instructions, enough for
// the largest repetition it takes, .{1,1000}.
constexpr std::int64_t kMemoryBytes = std::int64_t{1} << 20;

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_ascii_punctuation(char c) {
  return c > ' ' && c < '\x7F' && !is_ascii_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
}

using Translated = std::expected<std::string, TextPatternProblem>;

// Reads a pattern as JavaScript does and writes it for RE2 with the same meaning. Stops at syntax that only one of them
// has or that they read differently. RE2 reports mistakes in both.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : left_(pattern) {}

  Translated all() {
    while (!left_.empty() && !problem_) next();
    if (problem_) return std::unexpected(*std::move(problem_));
    return std::move(out_);
  }

 private:
  void refuse(std::string message, std::string advice) {
    if (!problem_) problem_ = {std::move(message), std::move(advice)};
  }

  bool at(std::size_t ahead, char c) const { return left_.size() > ahead && left_[ahead] == c; }
  // Copies `bytes` bytes unchanged.
  void copy(std::size_t bytes) {
    out_ += left_.substr(0, bytes);
    left_.remove_prefix(bytes);
  }
  // Writes `text` instead of `bytes` bytes.
  void replace(std::size_t bytes, std::string_view text) {
    out_ += text;
    left_.remove_prefix(bytes);
  }

  void next() {
    const bool is_behind_assertion = std::exchange(is_behind_assertion_, false);
    switch (left_.front()) {
      case '\\':
        return escape();
      case '[':
        return character_class();
      case '(':
        return group();
      case '.':  // RE2's own `.` matches a carriage return
        return replace(1, "[^\\n\\r]");
      case '^':
      case '$':
        is_behind_assertion_ = true;
        return copy(1);
      case '*':
      case '+':
      case '?':
      case '{':
        if (is_behind_assertion && (!at(0, '{') || (left_.size() > 1 && is_ascii_digit(left_[1])))) {
          return refuse("^, $, \\b and \\B cannot be repeated", "Remove the repetition.");
        }
        return copy(1);
      default:
        return copy(1);
    }
  }

  void group() {
    if (!at(1, '?') || at(2, ':')) return copy(at(1, '?') ? 3 : 1);
    if (at(2, '=') || at(2, '!') || (at(2, '<') && (at(3, '=') || at(3, '!')))) {
      return refuse(
          "look-around (`" + std::string(left_.substr(0, at(2, '<') ? 4 : 3)) + "`) is not supported",
          "Write a pattern without it, or check the condition with `derive` or an operation's `require`.");
    }
    refuse("a group begins with `(` or `(?:`", "Remove names and flags of groups.");
  }

  // Copies escapes that have one meaning inside and outside of classes. Refuses any other.
  void plain_escape() {
    const char c = left_.size() > 1 ? left_[1] : '\0';
    if (is_ascii_punctuation(c) || (c != '\0' && std::string_view("dDwWtnrfv").contains(c))) return copy(2);
    if (c == 'x' && left_.size() > 3 && is_hex_digit(left_[2]) && is_hex_digit(left_[3])) return copy(4);
    if (left_.size() == 1) return copy(1);  // RE2 reports the mistake
    if (is_ascii_digit(c)) {
      return refuse("back-references (`" + std::string(left_.substr(0, 2)) + "`) are not supported",
                    "Write a pattern without them.");
    }
    const bool is_letter = static_cast<unsigned char>(c) < 0x80;
    refuse("the escape `" + std::string(left_.substr(0, is_letter ? 2 : 1)) + "` is not supported",
           "Write \\d \\D \\w \\W \\s \\S \\b \\B \\t \\n \\r \\f \\v, \\xHH, or the character itself.");
  }

  // RE2's \s excludes the vertical tab.
  void escape() {
    if (at(1, 's')) return replace(2, "[\\s\\v]");
    if (at(1, 'S')) return replace(2, "[^\\s\\v]");
    if (at(1, 'b') || at(1, 'B')) {
      is_behind_assertion_ = true;
      return copy(2);
    }
    plain_escape();
  }

  void character_class() {
    copy(at(1, '^') ? 2 : 1);
    if (at(0, ']')) {
      return refuse("a class in brackets cannot begin with `]`", "Write `\\]` if the character is meant.");
    }
    while (!left_.empty() && !at(0, ']') && !problem_) {
      if (at(0, '[') && at(1, ':')) {
        refuse("classes like `[:alpha:]` are not supported", "Write the ranges: [A-Za-z].");
      } else if (at(0, '\\') && at(1, 's')) {
        replace(2, "\\s\\v");
      } else if (at(0, '\\') && at(1, 'S')) {
        copy(2);
      } else if (at(0, '\\')) {
        plain_escape();
      } else {
        copy(1);
      }
    }
    if (!left_.empty() && !problem_) copy(1);
  }

  std::string_view left_;
  std::string out_;
  std::optional<TextPatternProblem> problem_;
  bool is_behind_assertion_ = false;
};

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryBytes);
  options.set_never_capture(true);
  return options;
}

TextPatternProblem problem_of(const RE2& re2) {
  switch (re2.error_code()) {
    case RE2::ErrorPatternTooLarge:
      return {"the compiled pattern is too large", "Repeat less; `max_length` bounds the length."};
    case RE2::ErrorRepeatSize:
      return {"the repetition `" + re2.error_arg() + "` is not supported",
              "Repeat at most 1000 times in total; `min_length` and `max_length` bound the length."};
    default:
      return {re2.error(), "Write a regular expression, such as [A-Z]{3}-\\d+."};
  }
}

}  // namespace

struct TextPattern::Compiled {
  // Earlier versions accepted patterns that RE2 takes and JavaScript reads differently, such as [[:alpha:]]: these
  // stay readable.
  Compiled(const Translated& translated, const std::string& text)
      : re2(translated.value_or(text), options()),
        problem(!translated ? std::optional(translated.error()) : std::nullopt) {
    if (!problem && !re2.ok()) problem = problem_of(re2);
  }

  RE2 re2;
  std::optional<TextPatternProblem> problem;
};

struct TextPattern::Lazy {
  std::once_flag once;
  std::unique_ptr<const Compiled> compiled;
};

TextPattern::TextPattern(std::string text)
    : text_(std::move(text)), lazy_(text_.empty() ? nullptr : std::make_shared<Lazy>()) {}

const TextPattern::Compiled& TextPattern::compiled() const {
  TAVOLA_ASSERT(lazy_ != nullptr);
  std::call_once(lazy_->once, [this] {
    lazy_->compiled = std::make_unique<const Compiled>(Translator(text_).all(), text_);
  });
  return *lazy_->compiled;
}

std::optional<TextPatternProblem> TextPattern::problem() const {
  if (empty()) return std::nullopt;
  if (text_.size() > kBytesMax) {
    return TextPatternProblem{"the pattern has " + std::to_string(text_.size()) + " bytes; at most " +
                                  std::to_string(kBytesMax) + " are allowed",
                              "Write a shorter one."};
  }
  return compiled().problem;
}

bool TextPattern::is_readable() const { return empty() || compiled().re2.ok(); }

bool TextPattern::matches(std::string_view text) const {
  return empty() ||
         (is_readable() && RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled().re2));
}

std::size_t TextPattern::instructions() const {
  return !empty() && is_readable() ? static_cast<std::size_t>(compiled().re2.ProgramSize()) : 0;
}

}  // namespace tavola::design
