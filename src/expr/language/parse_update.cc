#include <array>
#include <utility>

#include "expr/language/parse.h"
#include "expr/language/parser.h"

namespace tavola::expr {

namespace {

using ast::Operand;
using ast::Section;

std::optional<Section> section_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Set:
      return Section::Set;
    case TokenKind::Remove:
      return Section::Remove;
    case TokenKind::Add:
      return Section::Add;
    case TokenKind::Delete:
      return Section::Delete;
    default:
      return std::nullopt;
  }
}

class UpdateParser {
 public:
  explicit UpdateParser(std::string_view text) : parser_(text, ExpressionKind::Update) {}

  Result<ast::Update> parse() {
    TAVOLA_CHECK(parser_.check_size());
    do {
      TAVOLA_CHECK(section());
    } while (parser_.peek() != TokenKind::End);
    TAVOLA_CHECK(parser_.check_shape({&ShapeFaults::reserved_word, &ShapeFaults::unknown_function,
                                      &ShapeFaults::misused_function, &ShapeFaults::repeated_section}));
    update_.placeholders = parser_.take_placeholders();
    return std::move(update_);
  }

 private:
  struct SetValue {
    Operand operand;
    bool arithmetic = false;
    bool parenthesized = false;
  };

  Result<void> section() {
    const std::optional<Section> section = section_of(parser_.peek());
    if (!section) return fail(parser_.syntax_error());
    parser_.advance();
    note_section(*section);
    do {
      TAVOLA_TRY(ast::Path path, parser_.path());
      ast::Action action{*section, std::move(path), std::nullopt};
      if (*section == Section::Set) {
        TAVOLA_CHECK(parser_.expect(TokenKind::Equal));
        TAVOLA_TRY(SetValue value, set_value());
        action.value = std::move(value.operand);
      } else if (*section != Section::Remove) {
        TAVOLA_TRY(action.value, parser_.value_placeholder());
      }
      update_.actions.push_back(std::move(action));
    } while (parser_.accept(TokenKind::Comma));
    return {};
  }

  void note_section(Section section) {
    static constexpr std::array<std::string_view, 4> kNames{"SET", "REMOVE", "ADD", "DELETE"};
    const auto index = static_cast<std::size_t>(section);
    std::optional<std::string>& fault = parser_.faults().repeated_section;
    if (seen_[index] && !fault) fault = messages::section_repeated(kNames[index]);
    seen_[index] = true;
  }

  Result<SetValue> set_value() {
    SetValue left;
    if (parser_.peek() == TokenKind::OpenParen) {
      TAVOLA_TRY(left, group());
      if (left.arithmetic) return left;
    } else {
      TAVOLA_TRY(left.operand, parser_.plain_operand());
    }
    const TokenKind next = parser_.peek();
    if (next != TokenKind::Plus && next != TokenKind::Minus) return left;
    parser_.advance();
    parser_.count_operator();
    ast::Call call{next == TokenKind::Plus ? Function::Plus : Function::Minus, {}};
    TAVOLA_TRY(Operand right, parser_.operand());
    call.operands.push_back(std::move(left.operand));
    call.operands.push_back(std::move(right));
    return SetValue{Operand{std::move(call)}, true, false};
  }

  Result<SetValue> group() {
    parser_.advance();
    const Parser::Level level(parser_);
    TAVOLA_CHECK(parser_.check_depth());
    TAVOLA_TRY(SetValue inner, set_value());
    TAVOLA_CHECK(parser_.expect(TokenKind::CloseParen));
    if (inner.parenthesized) return fail(parser_.fault(messages::redundant_parentheses()));
    inner.parenthesized = true;
    return inner;
  }

  Parser parser_;
  ast::Update update_;
  std::array<bool, 4> seen_{};
};

}  // namespace

Result<ast::Update> parse_update(std::string_view text) { return UpdateParser(text).parse(); }

}  // namespace tavola::expr
