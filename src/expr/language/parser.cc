#include "expr/language/parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "expr/language/reserved_words.h"
#include "value/limits.h"

namespace tavola::expr {

namespace {

// An operator can add two levels: NOT (…), size((…)). A deeper text has too many operators, or redundant parentheses.
constexpr std::size_t kDepthMax = 2 * limits::kExpressionOperatorsMax + 2;
constexpr std::uint32_t kListIndexMax = 4'294'967'294;  // AWS was observed to accept up to this

constexpr const char* kTakeApart = "move a part of it to an attribute, with `derive`";

void set_first(std::optional<std::string>& fault, std::string detail) {
  if (!fault) fault = std::move(detail);
}

}  // namespace

Parser::Parser(std::string_view text, ExpressionKind kind) : text_(text), kind_(kind) {
  if (text.size() <= limits::kExpressionBytesMax) tokens_ = is_rule() ? tokenize_rule(text) : tokenize(text);
}

Result<void> Parser::check_size() const {
  const bool is_blank = text_.find_first_not_of(' ') == std::string_view::npos;
  if (is_rule() && (is_blank || text_.size() > limits::kExpressionBytesMax)) return fail(empty_or_too_long());
  if (is_blank) return fail(fault(messages::empty_expression()));
  if (text_.size() > limits::kExpressionBytesMax)
    return fail(fault(messages::expression_too_long(text_.size())));
  return {};
}

Result<void> Parser::check_shape(
    std::initializer_list<std::optional<std::string> ShapeFaults::*> order) const {
  if (operators_ > limits::kExpressionOperatorsMax) {
    if (is_rule()) return fail(problem(span_from(0), "there are too many operators", kTakeApart));
    return fail(fault(messages::too_many_operators(operators_)));
  }
  for (const auto member : order) {
    if (const std::optional<std::string>& detail = faults_.*member) return fail(fault(*detail));
  }
  return {};
}

Result<void> Parser::check_depth() {
  if (depth_ <= kDepthMax) return {};
  if (is_rule()) return fail(unexpected(kTakeApart));
  return fail(too_deep());
}

// Checks only the parentheses, without recursion.
Error Parser::too_deep() {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> open;           // the parentheses that enclose the current token
  std::size_t closed_just_before = kNone;  // the opening one of the pair that the previous token closed
  for (std::size_t i = at_ = 0; i < tokens_.size(); ++i) {
    const TokenKind kind = tokens_[i].kind;
    std::size_t closed = kNone;
    if (kind == TokenKind::OpenParen) {
      open.push_back(i);
    } else if (kind == TokenKind::CloseParen && !open.empty()) {
      closed = open.back();
      open.pop_back();
      const TokenKind before = closed == 0 ? TokenKind::End : tokens_[closed - 1].kind;
      const bool groups = before != TokenKind::Identifier && before != TokenKind::In;
      if (groups && closed_just_before == closed + 1) return fault(messages::redundant_parentheses());
    }
    closed_just_before = closed;
  }
  const std::size_t operators = operator_tokens();
  if (open.empty() && operators > limits::kExpressionOperatorsMax) {
    return fault(messages::too_many_operators(operators));
  }
  at_ = tokens_.size() - 1;
  return syntax_error();
}

// Counts operators as the parsers do.
std::size_t Parser::operator_tokens() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    switch (tokens_[i].kind) {
      case TokenKind::Identifier:  // a function
        count += tokens_[i + 1].kind == TokenKind::OpenParen ? 1 : 0;
        break;
      case TokenKind::Between:  // includes its AND
        break;
      case TokenKind::And:
      case TokenKind::Or:
      case TokenKind::Not:
      case TokenKind::In:
      case TokenKind::NotEqual:
      case TokenKind::Less:
      case TokenKind::LessEqual:
      case TokenKind::Greater:
      case TokenKind::GreaterEqual:
      case TokenKind::Plus:
      case TokenKind::Minus:
        ++count;
        break;
      case TokenKind::Equal:
        count += kind_ == ExpressionKind::Update ? 0 : 1;
        break;
      default:
        break;
    }
  }
  return count;
}

std::string_view Parser::token_text() const { return text_.substr(tokens_[at_].offset, tokens_[at_].length); }

bool Parser::accept(TokenKind kind) {
  if (peek() != kind) return false;
  advance();
  return true;
}

Result<void> Parser::expect(TokenKind kind) {
  if (accept(kind)) return {};
  if (is_rule() && kind == TokenKind::CloseParen) return fail(unexpected("close the parenthesis with )"));
  if (is_rule() && kind == TokenKind::OpenParen)
    return fail(unexpected("write the values in parentheses: IN (1, 2)"));
  return fail(syntax_error());
}

// "near" is the text from the previous token to the next one.
Error Parser::syntax_error() const {
  if (is_rule()) return unexpected("an operator, AND or OR may follow, or nothing");
  const Token& current = tokens_[at_];
  const Token& before = tokens_[at_ == 0 ? 0 : at_ - 1];
  const std::size_t last = peek() == TokenKind::End                  ? at_ - (at_ == 0 ? 0 : 1)
                           : tokens_[at_ + 1].kind == TokenKind::End ? at_
                                                                     : at_ + 1;
  const std::size_t end = tokens_[last].offset + tokens_[last].length;
  const std::string_view near = text_.substr(before.offset, end - before.offset);
  const std::string_view token = current.kind == TokenKind::End ? "<EOF>" : token_text();
  return fault(messages::syntax_error(token, near));
}

std::uint32_t Parser::slot(std::vector<std::string>& placeholders) {
  const auto found = std::ranges::find(placeholders, token_text());
  const auto number = static_cast<std::uint32_t>(found - placeholders.begin());
  if (found == placeholders.end()) placeholders.emplace_back(token_text());
  return number;
}

Result<ast::PathElement> Parser::path_name() {
  ast::PathElement element;
  if (is_rule() && peek() != TokenKind::Identifier)
    return fail(unexpected("write a field, a :parameter, a literal or a function"));
  if (peek() == TokenKind::NamePlaceholder) {
    element.kind = ast::PathElement::Kind::Placeholder;
    element.number = slot(placeholders_.names);
  } else if (peek() == TokenKind::Identifier) {
    element.name = token_text();
    if (is_reserved_word(element.name))
      set_first(faults_.reserved_word, messages::reserved_word(element.name));
  } else {
    return fail(syntax_error());
  }
  advance();
  return element;
}

Result<ast::PathElement> Parser::path_index() {
  if (peek() != TokenKind::Index) return fail(syntax_error());
  ast::PathElement element{.kind = ast::PathElement::Kind::Index, .number = 0, .name = {}};
  const std::string_view digits = token_text();
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), element.number);
  if (parsed.ec != std::errc{} || element.number > kListIndexMax) {
    if (is_rule()) return fail(unexpected("write a number below 4294967295"));
    set_first(faults_.reserved_word, messages::index_out_of_range(digits));
  }
  advance();
  TAVOLA_CHECK(expect(TokenKind::CloseBracket));
  return element;
}

Result<ast::Path> Parser::path() {
  ast::Path path;
  TAVOLA_TRY(ast::PathElement first, path_name());
  path.elements.push_back(std::move(first));
  while (true) {
    if (accept(TokenKind::Dot)) {
      TAVOLA_TRY(ast::PathElement element, path_name());
      path.elements.push_back(std::move(element));
    } else if (accept(TokenKind::OpenBracket)) {
      TAVOLA_TRY(ast::PathElement element, path_index());
      path.elements.push_back(std::move(element));
    } else {
      return path;
    }
  }
}

Result<ast::Operand> Parser::value_placeholder() {
  if (peek() != TokenKind::ValuePlaceholder) return fail(syntax_error());
  ast::Operand operand{ast::ValueSlot{slot(placeholders_.values)}};
  advance();
  return operand;
}

Result<ast::Operand> Parser::operand() {
  if (is_rule()) {
    TAVOLA_TRY(ast::Operand first, factor());
    return arithmetic(std::move(first));
  }
  TAVOLA_TRY(ParsedOperand parsed, grouped_operand());
  return std::move(parsed.operand);
}

Result<Parser::ParsedOperand> Parser::grouped_operand() {
  if (!accept(TokenKind::OpenParen)) {
    TAVOLA_TRY(ast::Operand plain, plain_operand());
    return ParsedOperand{std::move(plain), false};
  }
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  TAVOLA_TRY(ParsedOperand inner, grouped_operand());
  TAVOLA_CHECK(expect(TokenKind::CloseParen));
  if (inner.parenthesized) return fail(fault(messages::redundant_parentheses()));
  inner.parenthesized = true;
  return inner;
}

Result<ast::Operand> Parser::plain_operand() {
  if (is_rule()) return factor();
  if (peek() == TokenKind::ValuePlaceholder) return value_placeholder();
  if (peek() == TokenKind::Identifier && tokens_[at_ + 1].kind == TokenKind::OpenParen) return call();
  TAVOLA_TRY(ast::Path parsed, path());
  return ast::Operand{std::move(parsed)};
}

Result<ast::Operand> Parser::call() {
  const Level level(*this);
  TAVOLA_CHECK(check_depth());
  const std::string_view name = token_text();
  const std::optional<Function> function = find_function(name);
  advance();
  advance();  // the parenthesis, seen by plain_operand
  ast::Call call{.function = function.value_or(Function::Size), .operands = {}};
  do {
    TAVOLA_TRY(ast::Operand argument, operand());
    if (const auto* nested = std::get_if<ast::Call>(&argument.form)) {
      const FunctionInfo& inner = info(nested->function);
      const bool may_nest = inner.function == Function::Size || inner.function == Function::IfNotExists;
      if (!may_nest) set_first(faults_.misused_function, messages::function_misused(inner.name));
    }
    call.operands.push_back(std::move(argument));
  } while (accept(TokenKind::Comma));
  TAVOLA_CHECK(expect(TokenKind::CloseParen));
  count_operator();
  check_function(name, function);
  return ast::Operand{std::move(call)};
}

void Parser::check_function(std::string_view name, const std::optional<Function>& function) {
  const bool in_update = kind_ == ExpressionKind::Update;
  if (!function) {
    set_first(faults_.unknown_function, messages::unknown_function(name));
  } else if (in_update != (info(*function).place == FunctionPlace::Update)) {
    set_first(faults_.unknown_function,
              in_update ? messages::function_not_in_update(name) : messages::function_not_in_condition(name));
  }
}

}  // namespace tavola::expr
