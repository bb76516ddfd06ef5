#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "partiql/messages.h"
#include "partiql/parser.h"
#include "partiql/words.h"

namespace tavola::partiql {

using messages::malformed;

Result<void> Parser::check_depth() const {
  if (depth_ <= kDepthMax && links_ <= kDepthMax) return {};
  return fail(malformed("Expressions are nested more than " + std::to_string(kDepthMax) + " levels deep"));
}

Result<void> Parser::count_link() {
  ++links_;
  return check_depth();
}

Expr Parser::operation(Operator op, Place place, std::vector<Expr> operands) {
  return {Operation{op, std::move(operands)}, place};
}

Result<Expr> Parser::right_side(Result<Expr> (Parser::*rule)()) {
  if (peek().kind == TokenKind::End) {
    return fail(malformed("Missing right-hand side expression of infix operator"));
  }
  return (this->*rule)();
}

Result<Expr> Parser::expression() {
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  TAVOLA_TRY(Expr first, conjunction());
  if (!at_word("or")) return first;
  Expr any = operation(Operator::Or, peek().place, {});
  auto& terms = std::get<Operation>(any.form).operands;
  terms.push_back(std::move(first));
  while (accept_word("or")) {
    TAVOLA_TRY(Expr next, right_side(&Parser::conjunction));
    terms.push_back(std::move(next));
  }
  return any;
}

Result<Expr> Parser::conjunction() {
  TAVOLA_TRY(Expr first, negation());
  if (!at_word("and")) return first;
  Expr all = operation(Operator::And, peek().place, {});
  auto& terms = std::get<Operation>(all.form).operands;
  terms.push_back(std::move(first));
  while (accept_word("and")) {
    TAVOLA_TRY(Expr next, right_side(&Parser::negation));
    terms.push_back(std::move(next));
  }
  return all;
}

Result<Expr> Parser::negation() {
  if (!at_word("not")) return equality();
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  const Place place = take().place;
  TAVOLA_TRY(Expr operand, negation());
  std::vector<Expr> operands;
  operands.push_back(std::move(operand));
  return operation(Operator::Not, place, std::move(operands));
}

Result<Expr> Parser::equality() {
  TAVOLA_TRY(Expr left, comparison());
  for (bool is_first = true;; is_first = false) {
    if (at_word("is")) {
      if (!is_first) TAVOLA_CHECK(count_link());
      TAVOLA_TRY(left, type_test(std::move(left)));
      continue;
    }
    const bool not_in = at_word("not") && at_word("in", 1);
    std::optional<Operator> op;
    if (at_symbol("=")) op = Operator::Equal;
    if (at_symbol("<>") || at_symbol("!=")) op = Operator::NotEqual;
    if (at_word("in") || not_in) op = Operator::In;
    if (!op) return left;
    if (!is_first) TAVOLA_CHECK(count_link());
    if (not_in) static_cast<void>(take());
    const Place place = take().place;
    TAVOLA_TRY(Expr right, right_side(&Parser::comparison));
    std::vector<Expr> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    left = operation(*op, place, std::move(operands));
    if (!not_in) continue;
    std::vector<Expr> negated;
    negated.push_back(std::move(left));
    left = operation(Operator::Not, place, std::move(negated));
  }
}

Result<Expr> Parser::type_test(Expr operand) {
  const Place place = take().place;
  TypeTest test;
  test.negated = accept_word("not");
  if (peek().kind != TokenKind::Word || !is_type_name(peek().text))
    return fail(malformed("Expected type name"));
  test.type = lower_case(take().text);
  if (test.type == "double") TAVOLA_CHECK(expect_word("precision"));
  if (test.type == "character") accept_word("varying");
  test.operand.push_back(std::move(operand));
  return Expr{std::move(test), place};
}

Result<Expr> Parser::between(Expr value, Place place) {
  std::vector<Expr> operands;
  operands.push_back(std::move(value));
  TAVOLA_TRY(Expr low, right_side(&Parser::sum));
  operands.push_back(std::move(low));
  TAVOLA_CHECK(expect_word("and"));
  TAVOLA_TRY(Expr high, right_side(&Parser::sum));
  operands.push_back(std::move(high));
  return operation(Operator::Between, place, std::move(operands));
}

Result<Expr> Parser::comparison() {
  TAVOLA_TRY(Expr left, sum());
  for (bool is_first = true;; is_first = false) {
    const bool negated = at_word("not") && (at_word("between", 1) || at_word("like", 1));
    const std::size_t ahead = negated ? 1 : 0;
    std::optional<Operator> op;
    if (at_symbol("<")) op = Operator::Less;
    if (at_symbol("<=")) op = Operator::LessEqual;
    if (at_symbol(">")) op = Operator::Greater;
    if (at_symbol(">=")) op = Operator::GreaterEqual;
    if (at_word("like", ahead)) op = Operator::Like;
    if (at_word("between", ahead)) op = Operator::Between;
    if (!op) return left;
    if (!is_first) TAVOLA_CHECK(count_link());
    if (negated) static_cast<void>(take());
    const Place place = take().place;
    if (*op == Operator::Between) {
      TAVOLA_TRY(left, between(std::move(left), place));
    } else {
      TAVOLA_TRY(Expr right, right_side(&Parser::sum));
      std::vector<Expr> operands;
      operands.push_back(std::move(left));
      operands.push_back(std::move(right));
      left = operation(*op, place, std::move(operands));
    }
    if (!negated) continue;
    std::vector<Expr> inside;
    inside.push_back(std::move(left));
    left = operation(Operator::Not, place, std::move(inside));
  }
}

Result<Expr> Parser::sum() {
  TAVOLA_TRY(Expr left, product());
  for (bool is_first = true;; is_first = false) {
    std::optional<Operator> op;
    if (at_symbol("+")) op = Operator::Plus;
    if (at_symbol("-")) op = Operator::Minus;
    if (at_symbol("||")) op = Operator::Concat;
    if (!op) return left;
    if (!is_first) TAVOLA_CHECK(count_link());
    const Place place = take().place;
    TAVOLA_TRY(Expr right, right_side(&Parser::product));
    std::vector<Expr> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    left = operation(*op, place, std::move(operands));
  }
}

Result<Expr> Parser::product() {
  TAVOLA_TRY(Expr left, unary());
  for (bool is_first = true;; is_first = false) {
    std::optional<Operator> op;
    if (at_symbol("*")) op = Operator::Times;
    if (at_symbol("/")) op = Operator::Divide;
    if (at_symbol("%")) op = Operator::Modulo;
    if (!op) return left;
    if (!is_first) TAVOLA_CHECK(count_link());
    const Place place = take().place;
    TAVOLA_TRY(Expr right, right_side(&Parser::unary));
    std::vector<Expr> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    left = operation(*op, place, std::move(operands));
  }
}

Result<Expr> Parser::unary() {
  const bool negate = at_symbol("-");
  if (!negate && !at_symbol("+") && !at_word("not")) return term();
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  const bool is_not = at_word("not");
  const Place place = take().place;
  TAVOLA_TRY(Expr operand, unary());
  // A sign in front of a number is part of it.
  if (auto* const number = std::get_if<NumberText>(&operand.form); number != nullptr && !is_not) {
    if (negate) number->text = number->text.starts_with('-') ? number->text.substr(1) : "-" + number->text;
    return operand;
  }
  std::vector<Expr> operands;
  operands.push_back(std::move(operand));
  const Operator sign = negate ? Operator::Negate : Operator::Affirm;
  return operation(is_not ? Operator::Not : sign, place, std::move(operands));
}

Error Parser::unexpected() const {
  const Token& token = peek();
  if (token.kind == TokenKind::Bad) return malformed("");
  if (token.kind == TokenKind::Word) {
    return malformed(is_operator_keyword(token.text) ? "Unexpected operator" : "Unexpected keyword");
  }
  static constexpr std::string_view kOperators = "= <> != < <= > >= * / % || + -";
  const bool is_operator = token.kind == TokenKind::Symbol && kOperators.contains(token.text);
  return malformed(is_operator ? "Unexpected operator" : "Unexpected term");
}

Result<Expr> Parser::term() {
  const Place place = peek().place;
  switch (peek().kind) {
    case TokenKind::Number:
      return Expr{NumberText{take().text}, place};
    case TokenKind::Text:
      return Expr{Text{take().text}, place};
    case TokenKind::Ion:
      return Expr{Ion{take().text}, place};
    case TokenKind::Parameter:
      static_cast<void>(take());
      return Expr{Parameter{parameters_++}, place};
    case TokenKind::Word:
    case TokenKind::QuotedName:
      return word_term();
    case TokenKind::Symbol:
      return symbol_term();
    default:
      return fail(unexpected());
  }
}

Result<Expr> Parser::word_term() {
  const Place place = peek().place;
  const bool is_call = peek().kind == TokenKind::Word && at_symbol("(", 1);
  if (is_call && (at_name() || is_function_keyword(peek().text))) return call();
  if (at_name()) {
    TAVOLA_TRY(Path named, path());
    return Expr{std::move(named), place};
  }
  if (accept_word("true")) return Expr{Boolean{true}, place};
  if (accept_word("false")) return Expr{Boolean{false}, place};
  if (accept_word("null")) return Expr{NullValue(), place};
  if (accept_word("missing")) return Expr{Missing(), place};
  // SLECT * FROM t: a product whose second factor would be FROM t … SET.
  if (at_word("from")) return fail(malformed("Expected data manipulation"));
  return fail(unexpected());
}

Result<Expr> Parser::symbol_term() {
  const Place place = peek().place;
  if (at_symbol("(")) {
    static_cast<void>(take());
    TAVOLA_TRY(Expr inside, expression());
    if (!at_symbol(",")) {
      TAVOLA_CHECK(expect_symbol(")"));
      return inside;
    }
    Sequence row;
    row.elements.push_back(std::move(inside));
    static_cast<void>(take());
    TAVOLA_TRY(std::vector<Expr> others, elements(")"));
    for (Expr& other : others) row.elements.push_back(std::move(other));
    return Expr{std::move(row), place};
  }
  const bool is_bag = at_symbol("<<");
  if (is_bag || at_symbol("[")) {
    static_cast<void>(take());
    TAVOLA_TRY(std::vector<Expr> inside, elements(is_bag ? ">>" : "]"));
    return Expr{Sequence{is_bag ? Sequence::Kind::Bag : Sequence::Kind::List, std::move(inside)}, place};
  }
  if (at_symbol("{")) return tuple();
  return fail(unexpected());
}

// Parses up to and including the closing symbol.
Result<std::vector<Expr>> Parser::elements(std::string_view close) {
  std::vector<Expr> found;
  if (accept_symbol(close)) return found;
  do {
    TAVOLA_TRY(Expr element, expression());
    found.push_back(std::move(element));
  } while (accept_symbol(","));
  TAVOLA_CHECK(expect_symbol(close));
  return found;
}

Result<Expr> Parser::tuple() {
  const Place place = take().place;
  Tuple made;
  if (accept_symbol("}")) return Expr{std::move(made), place};
  do {
    TAVOLA_TRY(Expr name, expression());
    TAVOLA_CHECK(expect_symbol(":"));
    TAVOLA_TRY(Expr value, expression());
    made.names.push_back(std::move(name));
    made.values.push_back(std::move(value));
  } while (accept_symbol(","));
  TAVOLA_CHECK(expect_symbol("}"));
  return Expr{std::move(made), place};
}

Result<Expr> Parser::call() {
  const Token name = take();
  static_cast<void>(take());  // the parenthesis
  Call made{lower_case(name.text), {}};
  if (made.function == "exists" && at_word("select")) {
    const Level level(*this);
    TAVOLA_CHECK(check_depth());
    TAVOLA_TRY(Select inside, select());
    TAVOLA_CHECK(expect_symbol(")"));
    made.select = std::make_shared<const Select>(std::move(inside));
    return Expr{std::move(made), name.place};
  }
  if (accept_symbol("*")) {  // COUNT(*)
    TAVOLA_CHECK(expect_symbol(")"));
    return Expr{std::move(made), name.place};
  }
  TAVOLA_TRY(made.operands, elements(")"));
  return Expr{std::move(made), name.place};
}

Result<Path> Parser::path() {
  Path made;
  made.steps.push_back({.name = take().text});
  if (made.steps.front().name.empty()) refuse(messages::refused("Path component cannot be an empty string"));
  for (;;) {
    if (accept_symbol(".")) {
      TAVOLA_TRY(Step step, dot_step());
      made.steps.push_back(std::move(step));
    } else if (accept_symbol("[")) {
      TAVOLA_TRY(Step step, bracket_step());
      made.steps.push_back(std::move(step));
    } else {
      return made;
    }
  }
}

Result<Step> Parser::dot_step() {
  if (accept_symbol("*")) {
    refuse(messages::refused("Unpivot path component like a.*.b are not supported"));
    return Step{.name = "*"};
  }
  if (!at_name()) return fail(malformed("Invalid path dot component"));
  Step step{.name = take().text};
  if (step.name.empty()) refuse(messages::refused("Path component cannot be an empty string"));
  return step;
}

Result<Step> Parser::bracket_step() {
  if (accept_symbol("*")) {
    TAVOLA_CHECK(expect_symbol("]"));
    refuse(messages::refused("Wildcard path component like a[*].b are not supported"));
    return Step{.index = 0, .is_index = true};
  }
  const bool negative = accept_symbol("-");
  const Token token = peek();
  TAVOLA_TRY(const Expr inside, expression());
  TAVOLA_CHECK(expect_symbol("]"));
  if (const auto* name = std::get_if<Text>(&inside.form); name != nullptr && !negative)
    return Step{.name = name->text};
  const auto* number = std::get_if<NumberText>(&inside.form);
  std::uint64_t index = 0;
  const std::string_view digits = number == nullptr ? std::string_view() : number->text;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (number == nullptr || read.ptr != digits.data() + digits.size()) {
    refuse(messages::refused("Unexpected path component", token.place));
    return Step{.index = 0, .is_index = true};
  }
  const bool too_large = read.ec != std::errc() || index > std::numeric_limits<std::int32_t>::max();
  if (too_large || (negative && index != 0)) {
    refuse(messages::refused("List index is not within the allowable range; index: [" +
                                 std::string(negative ? "-" : "") + std::string(digits) + "]",
                             token.place));
    return Step{.index = 0, .is_index = true};
  }
  return Step{.index = static_cast<std::uint32_t>(index), .is_index = true};
}

}  // namespace tavola::partiql
