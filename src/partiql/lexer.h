// Splits a statement into tokens. Comments (-- to the end of the line, /* */) are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::partiql {

// The position of a token: line and column count from 1, in characters.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
std::string to_text(Place place);  // "1:8:5", as AWS writes it

enum class TokenKind : std::uint8_t {
  Word,        // letters, digits, '_' and '$'; a keyword or a name
  QuotedName,  // "name"; a quote inside is doubled
  Text,        // 'text'; a quote inside is doubled
  Number,      // 12, 1.5e3, .5
  Ion,         // `...`: known to PartiQL, not to DynamoDB
  Parameter,   // ?
  Symbol,      // "<=", "<<", "(" …
  Bad,         // an unknown character, or a token that does not end
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  Place place;
  std::string text{};  // names and texts: without the quotes
};

// Returns all tokens, ending with one End token; stops after a Bad one.
std::vector<Token> tokenize(std::string_view text);

}  // namespace tavola::partiql
