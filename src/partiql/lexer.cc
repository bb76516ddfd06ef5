#include "partiql/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/ascii.h"

namespace tavola::partiql {
namespace {

bool begins_word(char c) { return is_letter(c) || c == '_' || c == '$'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Longer symbols precede their prefixes.
constexpr std::array<std::string_view, 25> kSymbols{"<<", ">>", "<>", "<=", ">=", "!=", "||", "<", ">",
                                                    "=",  "+",  "-",  "*",  "/",  "%",  "(",  ")", "[",
                                                    "]",  "{",  "}",  ",",  ".",  ":",  ";"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    do {
      tokens_.push_back(next());
    } while (tokens_.back().kind != TokenKind::End && tokens_.back().kind != TokenKind::Bad);
    if (tokens_.back().kind == TokenKind::Bad) tokens_.push_back({TokenKind::End, place_, {}});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }

  void step() {
    if (text_[at_] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if (!is_continuation(text_[at_])) {
      ++place_.column;
    }
    ++at_;
  }

  // Returns false if a comment does not end.
  bool skip_blanks() {
    while (!at_end()) {
      if (is_space(peek())) {
        step();
      } else if (peek() == '-' && peek(1) == '-') {
        while (!at_end() && peek() != '\n') step();
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) return false;
        while (at_ < close + 2) step();
      } else {
        return true;
      }
    }
    return true;
  }

  Token next() {
    const bool closed = skip_blanks();
    begin_ = at_;
    start_ = place_;
    if (!closed) return token(TokenKind::Bad);
    if (at_end()) return token(TokenKind::End);
    const char c = peek();
    if (begins_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return quoted(TokenKind::QuotedName);
    if (c == '\'') return quoted(TokenKind::Text);
    if (c == '`') return quoted(TokenKind::Ion);
    if (c == '?') {
      step();
      return token(TokenKind::Parameter);
    }
    return symbol();
  }

  Token token(TokenKind kind) {
    Token made{kind, start_, std::string(text_.substr(begin_, at_ - begin_))};
    made.place.length = static_cast<std::uint32_t>(
        std::ranges::count_if(made.text, [](char c) { return !is_continuation(c); }));
    return made;
  }

  Token word() {
    while (begins_word(peek()) || is_digit(peek())) step();
    return token(TokenKind::Word);
  }

  Token quoted(TokenKind kind) {
    const char quote = peek();
    std::string inside;
    step();
    while (!at_end()) {
      if (peek() == quote) {
        if (peek(1) != quote) {
          step();
          Token made = token(kind);
          made.text = std::move(inside);
          return made;
        }
        step();  // the first of two
      }
      inside += peek();
      step();
    }
    return token(TokenKind::Bad);
  }

  Token number() {
    while (is_digit(peek())) step();
    std::size_t fraction = 0;
    if (peek() == '.') {
      step();
      for (; is_digit(peek()); ++fraction) step();
    }
    if (peek() != 'e' && peek() != 'E') return token(TokenKind::Number);
    const std::size_t ahead = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    const bool negative = peek(1) == '-';
    for (std::size_t i = 0; i < ahead; ++i) {
      if (!at_end()) step();
    }
    const std::size_t digits = at_;
    while (is_digit(peek())) step();
    return token(fits(text_.substr(digits, at_ - digits), negative, fraction) ? TokenKind::Number
                                                                              : TokenKind::Bad);
  }

  // AWS reads numbers as Java does: exponent and scale are 32-bit integers.
  static bool fits(std::string_view digits, bool negative, std::size_t fraction) {
    std::int64_t exponent = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec != std::errc() || exponent > std::numeric_limits<std::int32_t>::max()) return false;
    const std::int64_t scale = static_cast<std::int64_t>(fraction) - (negative ? -exponent : exponent);
    return scale <= std::numeric_limits<std::int32_t>::max() &&
           scale >= std::numeric_limits<std::int32_t>::min();
  }

  Token symbol() {
    const auto here = text_.substr(at_);
    const auto* found =
        std::ranges::find_if(kSymbols, [&](std::string_view symbol) { return here.starts_with(symbol); });
    const bool known = found != kSymbols.end();
    for (std::size_t i = 0; i < (known ? found->size() : 1); ++i) step();
    return token(known ? TokenKind::Symbol : TokenKind::Bad);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
  std::size_t begin_ = 0;  // of the token
  Place start_;
  std::vector<Token> tokens_;
};

}  // namespace

std::string to_text(Place place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ":" + std::to_string(place.length);
}

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace tavola::partiql
