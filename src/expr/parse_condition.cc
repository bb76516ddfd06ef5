#include <utility>

#include "expr/parse.h"
#include "expr/parser.h"

namespace tavola::expr {

namespace {

using ast::Comparator;
using ast::Node;
using ast::Operand;

// An opening parenthesis may begin a condition or an operand, `(a = b)` or `(a) = b`: what is parsed stays
// undecided until the token after it is known.
struct Parsed {
  std::variant<Operand, Node> form;
  bool parenthesized = false;
};

std::optional<Comparator> comparator(TokenKind kind) {
  switch (kind) {
    case TokenKind::Equal:
      return Comparator::Equal;
    case TokenKind::NotEqual:
      return Comparator::NotEqual;
    case TokenKind::Less:
      return Comparator::Less;
    case TokenKind::LessEqual:
      return Comparator::LessEqual;
    case TokenKind::Greater:
      return Comparator::Greater;
    case TokenKind::GreaterEqual:
      return Comparator::GreaterEqual;
    default:
      return std::nullopt;
  }
}

class ConditionParser {
 public:
  ConditionParser(std::string_view text, ExpressionKind kind) : parser_(text, kind) {}

  Result<ast::Condition> parse() {
    TAVOLA_CHECK(parser_.check_size());
    TAVOLA_TRY(Parsed parsed, disjunction());
    TAVOLA_TRY(Node root, as_condition(std::move(parsed)));
    TAVOLA_CHECK(parser_.expect(TokenKind::End));
    TAVOLA_CHECK(parser_.check_shape(
        {&ShapeFaults::unknown_function, &ShapeFaults::misused_function, &ShapeFaults::reserved_word}));
    return ast::Condition{std::move(root), parser_.take_placeholders()};
  }

 private:
  Result<Parsed> disjunction() {
    TAVOLA_TRY(Parsed first, conjunction());
    if (parser_.peek() != TokenKind::Or) return first;
    ast::Or alternatives;
    TAVOLA_TRY(Node head, as_condition(std::move(first)));
    alternatives.terms.push_back(std::move(head));
    while (parser_.accept(TokenKind::Or)) {
      parser_.count_operator();
      TAVOLA_TRY(Parsed next, conjunction());
      TAVOLA_TRY(Node term, as_condition(std::move(next)));
      alternatives.terms.push_back(std::move(term));
    }
    return Parsed{Node{std::move(alternatives)}, false};
  }

  Result<Parsed> conjunction() {
    TAVOLA_TRY(Parsed first, negation());
    if (parser_.peek() != TokenKind::And) return first;
    ast::And all;
    TAVOLA_TRY(Node head, as_condition(std::move(first)));
    all.terms.push_back(std::move(head));
    while (parser_.accept(TokenKind::And)) {
      parser_.count_operator();
      TAVOLA_TRY(Parsed next, negation());
      TAVOLA_TRY(Node term, as_condition(std::move(next)));
      all.terms.push_back(std::move(term));
    }
    return Parsed{Node{std::move(all)}, false};
  }

  Result<Parsed> negation() {
    if (!parser_.accept(TokenKind::Not)) return primary();
    const Parser::Level level(parser_);
    TAVOLA_CHECK(parser_.check_depth());
    parser_.count_operator();
    TAVOLA_TRY(Parsed inner, negation());
    ast::Not negated;
    TAVOLA_TRY(Node term, as_condition(std::move(inner)));
    negated.term.push_back(std::move(term));
    return Parsed{Node{std::move(negated)}, false};
  }

  Result<Parsed> primary() {
    Parsed left;
    if (parser_.peek() == TokenKind::OpenParen) {
      TAVOLA_TRY(left, group());
      if (std::holds_alternative<Node>(left.form)) return left;
    } else {
      TAVOLA_TRY(Operand operand, parser_.plain_operand());
      left.form = std::move(operand);
    }
    return relation(std::move(left));
  }

  Result<Parsed> group() {
    parser_.advance();
    const Parser::Level level(parser_);
    TAVOLA_CHECK(parser_.check_depth());
    TAVOLA_TRY(Parsed inner, disjunction());
    TAVOLA_CHECK(parser_.expect(TokenKind::CloseParen));
    if (inner.parenthesized) return fail(parser_.fault(messages::redundant_parentheses()));
    inner.parenthesized = true;
    return inner;
  }

  // What follows an operand: a comparison, BETWEEN, IN, or nothing.
  Result<Parsed> relation(Parsed left) {
    Operand& operand = std::get<Operand>(left.form);
    const TokenKind next = parser_.peek();
    if (const std::optional<Comparator> op = comparator(next)) return comparison(*op, std::move(operand));
    if (next == TokenKind::Between) return between(std::move(operand));
    if (next == TokenKind::In) return in(std::move(operand));
    return left;
  }

  Result<Parsed> comparison(Comparator op, Operand left) {
    parser_.advance();
    parser_.count_operator();
    TAVOLA_TRY(Operand right, parser_.operand());
    note_value(left);
    note_value(right);
    return Parsed{Node{ast::Comparison{op, std::move(left), std::move(right)}}, false};
  }

  Result<Parsed> between(Operand value) {
    parser_.advance();
    parser_.count_operator();
    TAVOLA_TRY(Operand low, parser_.operand());
    TAVOLA_CHECK(parser_.expect(TokenKind::And));
    TAVOLA_TRY(Operand high, parser_.operand());
    note_value(value);
    note_value(low);
    note_value(high);
    return Parsed{Node{ast::Between{std::move(value), std::move(low), std::move(high)}}, false};
  }

  Result<Parsed> in(Operand value) {
    parser_.advance();
    parser_.count_operator();
    TAVOLA_CHECK(parser_.expect(TokenKind::OpenParen));
    ast::In in{std::move(value), {}};
    note_value(in.value);
    do {
      TAVOLA_TRY(Operand candidate, parser_.operand());
      note_value(candidate);
      in.candidates.push_back(std::move(candidate));
    } while (parser_.accept(TokenKind::Comma));
    TAVOLA_CHECK(parser_.expect(TokenKind::CloseParen));
    return Parsed{Node{std::move(in)}, false};
  }

  // Of the operands only function calls are conditions in their own right.
  Result<Node> as_condition(Parsed parsed) {
    if (auto* node = std::get_if<Node>(&parsed.form)) return std::move(*node);
    auto* call = std::get_if<ast::Call>(&std::get<Operand>(parsed.form).form);
    if (call == nullptr) return fail(parser_.syntax_error());
    if (call->function == Function::Size) note_misuse(*call);
    return Node{std::move(*call)};
  }

  // A function whose result is compared must have one: only size() has.
  void note_value(const Operand& operand) {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call != nullptr && call->function != Function::Size) note_misuse(*call);
  }

  void note_misuse(const ast::Call& call) {
    std::optional<std::string>& fault = parser_.faults().misused_function;
    if (!fault) fault = messages::function_misused(info(call.function).name);
  }

  Parser parser_;
};

}  // namespace

Result<ast::Condition> parse_condition(std::string_view text, ExpressionKind kind) {
  return ConditionParser(text, kind).parse();
}

}  // namespace tavola::expr
