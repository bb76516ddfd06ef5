#include "expr/language/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace tavola::expr {

namespace {

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<std::pair<std::string_view, TokenKind>, 9> kKeywords{{
    {"and", TokenKind::And},
    {"or", TokenKind::Or},
    {"not", TokenKind::Not},
    {"in", TokenKind::In},
    {"between", TokenKind::Between},
    {"set", TokenKind::Set},
    {"remove", TokenKind::Remove},
    {"add", TokenKind::Add},
    {"delete", TokenKind::Delete},
}};

TokenKind word_kind(std::string_view word) {
  for (const auto& [keyword, kind] : kKeywords) {
    if (std::ranges::equal(word, keyword, {}, ascii_lower)) return kind;
  }
  return TokenKind::Identifier;
}

std::size_t word_length(std::string_view rest) {
  return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
}

// One UTF-8 character; a stray byte counts as one.
std::size_t character_length(std::string_view rest) {
  const auto lead = static_cast<unsigned char>(rest.front());
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  return std::min(length, rest.size());
}

std::pair<TokenKind, std::size_t> punctuation(std::string_view rest) {
  const char next = rest.size() > 1 ? rest[1] : '\0';
  switch (rest.front()) {
    case '=':
      return {TokenKind::Equal, 1};
    case '<':
      if (next == '>') return {TokenKind::NotEqual, 2};
      if (next == '=') return {TokenKind::LessEqual, 2};
      return {TokenKind::Less, 1};
    case '>':
      if (next == '=') return {TokenKind::GreaterEqual, 2};
      return {TokenKind::Greater, 1};
    case '+':
      return {TokenKind::Plus, 1};
    case '-':
      return {TokenKind::Minus, 1};
    case '(':
      return {TokenKind::OpenParen, 1};
    case ')':
      return {TokenKind::CloseParen, 1};
    case '[':
      return {TokenKind::OpenBracket, 1};
    case ']':
      return {TokenKind::CloseBracket, 1};
    case ',':
      return {TokenKind::Comma, 1};
    case '.':
      return {TokenKind::Dot, 1};
    default:
      return {TokenKind::Unknown, character_length(rest)};
  }
}

// AWS's lexer accepts quoted strings, although no expression may contain one: an error then names the whole string.
std::size_t quoted_length(std::string_view rest) {
  const std::size_t end = rest.find(rest.front(), 1);
  return end == std::string_view::npos ? 1 : end + 1;
}

std::pair<TokenKind, std::size_t> next_token(std::string_view rest) {
  const char first = rest.front();
  if (is_letter(first)) {
    const std::size_t length = word_length(rest);
    return {word_kind(rest.substr(0, length)), length};
  }
  if (first == '#' || first == ':') {
    const std::size_t length = 1 + word_length(rest.substr(1));
    if (length == 1) return {TokenKind::Unknown, 1};
    return {first == '#' ? TokenKind::NamePlaceholder : TokenKind::ValuePlaceholder, length};
  }
  if (first == '0') return {TokenKind::Index, 1};
  if (is_digit(first)) {
    return {TokenKind::Index,
            static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin())};
  }
  if (first == '"' || first == '\'') return {TokenKind::Unknown, quoted_length(rest)};
  return punctuation(rest);
}

// A quote inside a text is doubled. A text that never ends is unknown up to the end.
std::pair<TokenKind, std::size_t> text_literal(std::string_view rest) {
  const char quote = rest.front();
  for (std::size_t at = rest.find(quote, 1); at != std::string_view::npos; at = rest.find(quote, at + 2)) {
    if (at + 1 == rest.size() || rest[at + 1] != quote) return {TokenKind::Text, at + 1};
  }
  return {TokenKind::Unknown, rest.size()};
}

// Digits, a fraction, and letters: the unit of a duration, an exponent, or a mistake that the parser reports.
std::pair<TokenKind, std::size_t> number_literal(std::string_view rest) {
  std::size_t length = 0;
  const auto skip_digits = [&] {
    while (length < rest.size() && is_digit(rest[length])) ++length;
  };
  skip_digits();
  const std::size_t digits = length;
  if (length + 1 < rest.size() && rest[length] == '.' && is_digit(rest[length + 1])) {
    ++length;
    skip_digits();
  }
  length += word_length(rest.substr(length));
  return {length == digits ? TokenKind::Index : TokenKind::Number, length};
}

std::pair<TokenKind, std::size_t> next_rule_token(std::string_view rest) {
  const char first = rest.front();
  if (is_letter(first) || first == '_') {
    const std::size_t length = word_length(rest);
    const TokenKind kind = word_kind(rest.substr(0, length));
    const bool of_updates = kind >= TokenKind::Set && kind <= TokenKind::Delete;
    return {of_updates ? TokenKind::Identifier : kind, length};
  }
  if (is_digit(first)) return number_literal(rest);
  if (first == '"' || first == '\'') return text_literal(rest);
  if (first == '*') return {TokenKind::Times, 1};
  if (first == '/') return {TokenKind::Divide, 1};
  return next_token(rest);
}

template <class Next>
std::vector<Token> cut(std::string_view text, Next next) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 4 + 2);
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) break;
    const auto [kind, length] = next(text.substr(at));
    tokens.push_back({kind, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length)});
    at += length;
  }
  tokens.push_back({TokenKind::End, static_cast<std::uint32_t>(text.size()), 0});
  return tokens;
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return cut(text, next_token); }
std::vector<Token> tokenize_rule(std::string_view text) { return cut(text, next_rule_token); }

bool is_placeholder(std::string_view key, char sigil) {
  return key.size() > 1 && key.front() == sigil && word_length(key.substr(1)) == key.size() - 1;
}

}  // namespace tavola::expr
