#include <utility>

#include "expr/language/parse.h"
#include "expr/language/parser.h"

namespace tavola::expr {

Result<ast::Projection> parse_projection(std::string_view text) {
  Parser parser(text, ExpressionKind::Projection);
  TAVOLA_CHECK(parser.check_size());
  ast::Projection projection;
  do {
    TAVOLA_TRY(ast::Path path, parser.path());
    projection.paths.push_back(std::move(path));
  } while (parser.accept(TokenKind::Comma));
  TAVOLA_CHECK(parser.expect(TokenKind::End));
  TAVOLA_CHECK(parser.check_shape({&ShapeFaults::reserved_word}));
  projection.placeholders = parser.take_placeholders();
  return projection;
}

}  // namespace tavola::expr
