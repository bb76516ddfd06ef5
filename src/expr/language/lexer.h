// Splits an expression's text into tokens, by the same rules for every kind of expression of a request. Rules have more
// tokens and fewer keywords.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tavola::expr {

enum class TokenKind : std::uint8_t {
  Identifier,        // a letter, then letters, digits and underscores
  NamePlaceholder,   // #name
  ValuePlaceholder,  // :value
  Index,             // 0, or digits without a leading zero
  Number,            // rules: 12.5, 30s
  Text,              // rules: 'text', "text"; a quote inside is doubled
  // Keywords, in any case. They are reserved in every expression, so `SET and = :v` is a syntax error.
  And,
  Or,
  Not,
  In,
  Between,
  Set,
  Remove,
  Add,
  Delete,
  // Punctuation
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Times,   // rules
  Divide,  // rules
  OpenParen,
  CloseParen,
  OpenBracket,
  CloseBracket,
  Comma,
  Dot,
  Unknown,  // anything else: one character, or a quoted string. Only the parser treats it as an error.
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t offset = 0;  // in bytes, into the text
  std::uint32_t length = 0;
};

// Returns all tokens of `text`, ending with one End token. Never fails. `text` must be shorter than 4 GB.
std::vector<Token> tokenize(std::string_view text);
std::vector<Token> tokenize_rule(std::string_view text);

// Whether `key` is '#' or ':' (the `sigil`) followed by at least one letter, digit or underscore.
bool is_placeholder(std::string_view key, char sigil);

}  // namespace tavola::expr
