// Cuts a statement into tokens. Comments (-- to the end of the line, /* */) are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::partiql {

// Where a token stands: line and column count from 1, in characters.
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
  Text,        // 'text'; likewise
  Number,      // 12, 1.5e3, .5
  Ion,         // `...`: known to PartiQL, not to DynamoDB
  Parameter,   // ?
  Symbol,      // "<=", "<<", "(" …
  Bad,         // what no token begins with, or one that does not end
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  Place place;
  std::string text{};  // of a name or a text: what is inside the quotes
};

// All tokens, ending with one End token; nothing is looked at behind a Bad one.
std::vector<Token> tokenize(std::string_view text);

}  // namespace tavola::partiql
