// The wider dialect of rules: arithmetic, literals, more functions, and problems that say what to do.
#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "expr/language/parse.h"
#include "expr/language/parser.h"
#include "expr/language/rule_problem.h"

namespace tavola::expr {

namespace {

constexpr std::string_view kOperandExpected = "write a field, a :parameter, a literal or a function";

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// Suggests a token for one that other languages have and this one does not.
std::string_view known_elsewhere(std::string_view token, std::string_view rest) {
  if (rest.starts_with("!=")) return "unequal is written <>";
  if (token == "!") return "negation is written NOT";
  if (token == "&") return "both is written AND";
  if (token == "|") return "either is written OR";
  if (token == "#" || token.starts_with('#')) return "write names of fields without #";
  if (token == ":") return "a parameter is a colon and a name: :quantity";
  if (token.starts_with('\'') || token.starts_with('"'))
    return "close the text with the quote it starts with";
  return {};
}

// Milliseconds of a unit; zero if it is unknown.
std::int64_t unit_ms(std::string_view unit) {
  if (unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return 0;
}

Result<Number> parse_number(std::string_view text) {
  const std::size_t unit_at = std::min(text.find_first_not_of(".0123456789"), text.size());
  const std::int64_t unit = unit_ms(text.substr(unit_at));
  if (unit == 0) return Number::parse(text);
  TAVOLA_TRY(const Number count, Number::parse(text.substr(0, unit_at)));
  return count * Number(unit);
}

const ast::Call* call_in(const ast::Operand& operand) { return std::get_if<ast::Call>(&operand.form); }

bool is_condition(const ast::Operand& operand) {
  const ast::Call* call = call_in(operand);
  return call != nullptr && info(call->function).place == FunctionPlace::Condition;
}

bool names_a_type(const Value& value) {
  if (!value.is_string()) return false;
  for (int type = 1; type <= 10; ++type) {
    if (type_name(static_cast<Type>(type)) == value.string()) return true;
  }
  return false;
}

}  // namespace

// ---- Problems ----

Error Parser::problem(ast::Span where, std::string message, std::string advice) const {
  return rule_error({where.offset, where.length, std::move(message), std::move(advice)});
}

Error Parser::unexpected(std::string_view advice) const {
  const Token& token = tokens_[at_];
  const ast::Span where{token.offset, token.length};
  if (token.kind == TokenKind::End)
    return problem(where, "the expression ends too early", std::string(advice));
  const std::string_view rest = text_.substr(token.offset);
  const std::string_view elsewhere = known_elsewhere(token_text(), rest);
  const bool doubled = token.kind == TokenKind::Equal && at_ > 0 && tokens_[at_ - 1].kind == TokenKind::Equal;
  return problem(where, quoted(token_text()) + " does not fit here",
                 std::string(doubled              ? "equal is written with one ="
                             : !elsewhere.empty() ? elsewhere
                                                  : advice));
}

Error Parser::empty_or_too_long() const {
  const ast::Span whole{0, static_cast<std::uint32_t>(text_.size())};
  if (text_.find_first_not_of(' ') == std::string_view::npos)
    return problem(whole, "the expression is empty", "write one, or remove its key");
  return problem(whole, "the expression is longer than 4096 bytes",
                 "move a part of it to an attribute, with `derive`");
}

ast::Span Parser::span_from(std::size_t position) const {
  const std::uint32_t offset = tokens_[position].offset;
  const Token& last = tokens_[at_ > position ? at_ - 1 : position];
  return {offset, last.offset + last.length - offset};
}

Result<void> Parser::need_value(const ast::Operand& operand) const {
  if (!is_condition(operand)) return {};
  return fail(problem(operand.source, std::string(text_of(operand.source)) + " is a condition, not a value",
                      "use it on its own, joined with AND, OR and NOT"));
}

Result<void> Parser::need_condition(const ast::Operand& operand) const {
  if (is_condition(operand)) return {};
  const bool ends = peek() == TokenKind::End || peek() == TokenKind::CloseParen || peek() == TokenKind::And ||
                    peek() == TokenKind::Or;
  if (!ends) return fail(syntax_error());
  const std::string written(text_of(operand.source));
  return fail(problem(operand.source, written + " is a value, not a condition",
                      "compare it with something: " + written + " = true, exists(" + written + ')'));
}

// ---- Arithmetic ----

Result<ast::Operand> Parser::arithmetic(ast::Operand first) {
  TAVOLA_TRY(ast::Operand sum, product(std::move(first)));
  while (peek() == TokenKind::Plus || peek() == TokenKind::Minus) {
    const Function function = peek() == TokenKind::Plus ? Function::Plus : Function::Minus;
    advance();
    TAVOLA_TRY(ast::Operand next, factor());
    TAVOLA_TRY(ast::Operand term, product(std::move(next)));
    TAVOLA_TRY(sum, combined(function, std::move(sum), std::move(term)));
  }
  return sum;
}

Result<ast::Operand> Parser::product(ast::Operand first) {
  while (peek() == TokenKind::Times || peek() == TokenKind::Divide) {
    const Function function = peek() == TokenKind::Times ? Function::Times : Function::Divide;
    advance();
    TAVOLA_TRY(ast::Operand next, factor());
    TAVOLA_TRY(first, combined(function, std::move(first), std::move(next)));
  }
  return first;
}

Result<ast::Operand> Parser::combined(Function function, ast::Operand left, ast::Operand right) {
  TAVOLA_CHECK(need_value(left));
  TAVOLA_CHECK(need_value(right));
  count_operator();
  const std::uint32_t offset = left.source.offset;
  const ast::Span source{offset, right.source.offset + right.source.length - offset};
  ast::Call call{function, {}};
  call.operands.push_back(std::move(left));
  call.operands.push_back(std::move(right));
  return ast::Operand{std::move(call), source};
}

// ---- Operands ----

Result<ast::Operand> Parser::factor() {
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  const std::size_t start = at_;
  TAVOLA_TRY(ast::Operand operand, rule_operand());
  operand.source = span_from(start);
  if (const ast::Call* call = call_in(operand);
      call != nullptr && tokens_[start].kind == TokenKind::Identifier) {
    TAVOLA_CHECK(check_operands(*call, operand.source));
  }
  return operand;
}

Result<ast::Operand> Parser::rule_operand() {
  switch (peek()) {
    case TokenKind::OpenParen: {
      advance();
      TAVOLA_TRY(ast::Operand inner, operand());
      TAVOLA_CHECK(expect(TokenKind::CloseParen));
      return inner;
    }
    case TokenKind::Minus: {
      advance();
      count_operator();
      ast::Call negated{Function::Negate, {}};
      TAVOLA_TRY(ast::Operand inner, factor());
      TAVOLA_CHECK(need_value(inner));
      negated.operands.push_back(std::move(inner));
      return ast::Operand{std::move(negated), {}};
    }
    case TokenKind::ValuePlaceholder: {
      TAVOLA_TRY(ast::Operand parameter, value_placeholder());
      placeholders_.literals.resize(placeholders_.values.size());
      return parameter;
    }
    case TokenKind::Index:
    case TokenKind::Number:
      return number_literal();
    case TokenKind::Text:
      return literal(unquoted(token_text()));
    case TokenKind::Identifier:
      return word();
    default:
      return fail(unexpected(kOperandExpected));
  }
}

// A function, a literal or a path.
Result<ast::Operand> Parser::word() {
  const TokenKind next = tokens_[at_ + 1].kind;
  if (next == TokenKind::OpenParen) return rule_call();
  if (next != TokenKind::Dot && next != TokenKind::OpenBracket) {
    if (same_text(token_text(), "true")) return literal(true);
    if (same_text(token_text(), "false")) return literal(false);
    if (same_text(token_text(), "null")) return literal(Null());
  }
  TAVOLA_TRY(ast::Path parsed, path());
  return ast::Operand{std::move(parsed), {}};
}

Result<ast::Operand> Parser::rule_call() {
  const std::string_view name = token_text();
  const std::optional<Function> function = find_rule_function(name);
  if (!function) {
    return fail(problem(span_from(at_), "there is no function " + std::string(name),
                        "the functions are " + rule_function_names()));
  }
  advance();
  advance();  // the parenthesis, seen by word()
  count_operator();
  ast::Call call{*function, {}};
  if (accept(TokenKind::CloseParen)) return ast::Operand{std::move(call), {}};
  do {
    TAVOLA_TRY(ast::Operand argument, operand());
    TAVOLA_CHECK(need_value(argument));
    call.operands.push_back(std::move(argument));
  } while (accept(TokenKind::Comma));
  TAVOLA_CHECK(expect(TokenKind::CloseParen));
  return ast::Operand{std::move(call), {}};
}

Result<void> Parser::check_operands(const ast::Call& call, ast::Span where) const {
  const FunctionInfo& function = info(call.function);
  const std::size_t count = call.operands.size();
  const std::size_t most = function.operands + function.optional;
  if (count < function.operands || (count > most && !function.more)) {
    const std::string_view written = text_of(where);
    const std::string name(written.substr(0, written.find('(')));
    return fail(problem(where, name + " has " + std::to_string(count) + " operands",
                        "give it " + std::string(function.more ? "at least " : "") +
                            std::to_string(function.operands) +
                            (most > function.operands ? " to " + std::to_string(most) : "")));
  }
  if (call.function != Function::AttributeType) return {};
  const auto* slot = std::get_if<ast::ValueSlot>(&call.operands[1].form);
  if (slot == nullptr) return {};
  const std::optional<Value>& type = placeholders_.literals[slot->slot];
  if (!type || names_a_type(*type)) return {};
  return fail(problem(call.operands[1].source,
                      std::string(text_of(call.operands[1].source)) + " is not a type",
                      "the types are 'S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS' and 'BS'"));
}

// ---- Literals ----

Result<ast::Operand> Parser::literal(Value value) {
  ast::Operand operand{ast::ValueSlot{slot(placeholders_.values)}, {}};
  placeholders_.literals.resize(placeholders_.values.size());
  placeholders_.literals[std::get<ast::ValueSlot>(operand.form).slot] = std::move(value);
  advance();
  return operand;
}

Result<ast::Operand> Parser::number_literal() {
  const Result<Number> number = parse_number(token_text());
  if (number) return literal(*number);
  const bool has_letters = token_text().find_first_not_of(".0123456789") != std::string_view::npos;
  return fail(problem({tokens_[at_].offset, tokens_[at_].length},
                      std::string(token_text()) + " is not a number",
                      has_letters ? "a duration ends in s, m, h or d; put a text in quotes"
                                  : "a number has at most 38 digits and is below 1E+126"));
}

std::string Parser::unquoted(std::string_view literal) {
  const char quote = literal.front();
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    text += literal[i];
    if (literal[i] == quote) ++i;  // doubled
  }
  return text;
}

// ---- Entry points ----

Result<ast::Formula> parse_formula(std::string_view text) {
  Parser parser(text, ExpressionKind::Rule);
  TAVOLA_CHECK(parser.check_size());
  TAVOLA_TRY(ast::Operand root, parser.operand());
  TAVOLA_CHECK(parser.need_value(root));
  if (parser.peek() != TokenKind::End) return fail(parser.unexpected("an operator may follow, or nothing"));
  TAVOLA_CHECK(parser.check_shape({}));
  return ast::Formula{std::move(root), parser.take_placeholders()};
}

}  // namespace tavola::expr
