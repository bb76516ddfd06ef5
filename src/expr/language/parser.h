// Code shared by the parsers of the different expressions: the cursor over the tokens, paths, operands, placeholders,
// and the faults that are reported only after the whole text has been parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "expr/language/ast.h"
#include "expr/language/lexer.h"
#include "expr/language/messages.h"

namespace tavola::expr {

// Faults in the structure of an expression, the first of each kind, as details for messages::invalid.
struct ShapeFaults {
  std::optional<std::string> unknown_function;  // or one that this kind of expression does not have
  std::optional<std::string> misused_function;
  std::optional<std::string> reserved_word;  // or a list index that is too large
  std::optional<std::string> repeated_section;
};

class Parser {
 public:
  Parser(std::string_view text, ExpressionKind kind);
  bool is_rule() const { return kind_ == ExpressionKind::Rule; }

  // Refuses empty and overlong texts, before anything else.
  Result<void> check_size() const;
  // Refuses too many operators; then `faults` in the order given.
  Result<void> check_shape(std::initializer_list<std::optional<std::string> ShapeFaults::*> order) const;

  // The cursor.
  TokenKind peek() const { return tokens_[at_].kind; }
  std::string_view token_text() const;
  void advance() { ++at_; }
  bool accept(TokenKind kind);
  Result<void> expect(TokenKind kind);
  Error syntax_error() const;  // at the current token
  Error fault(std::string_view detail) const { return messages::invalid(kind_, detail); }

  // Parses a path at the cursor.
  Result<ast::Path> path();
  // Parses an operand at the cursor; one pair of parentheses around it is allowed.
  Result<ast::Operand> operand();
  // Parses what `operand` accepts except an opening parenthesis; in a rule, without arithmetic.
  Result<ast::Operand> plain_operand();
  Result<ast::Operand> value_placeholder();

  // Rules only.
  //
  // Returns the operand that starts with `first`: itself, or the arithmetic that follows it.
  Result<ast::Operand> arithmetic(ast::Operand first);
  // Fails if `operand` is not a value, or not a condition.
  Result<void> need_value(const ast::Operand& operand) const;
  Result<void> need_condition(const ast::Operand& operand) const;
  // The bytes from a token to the last one that was taken.
  std::size_t position() const { return at_; }
  ast::Span span_from(std::size_t position) const;
  // A problem (rule.h) as an error: at a given position, or at the current token.
  Error problem(ast::Span where, std::string message, std::string advice) const;
  Error unexpected(std::string_view advice) const;

  void count_operator() { ++operators_; }
  ShapeFaults& faults() { return faults_; }
  ast::Placeholders take_placeholders() { return std::move(placeholders_); }

  // Descends one level for the lifetime of the object.
  class Level {
   public:
    explicit Level(Parser& parser, std::size_t weight = 1) : parser_(parser), weight_(weight) {
      parser_.depth_ += weight_;
    }
    ~Level() { parser_.depth_ -= weight_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
    std::size_t weight_;
  };
  // Fails below the deepest level that 300 operators can reach, because the parsers recurse. Such a text gets the error
  // it would get if it were parsed to its end.
  Result<void> check_depth();

 private:
  struct ParsedOperand {
    ast::Operand operand;
    bool parenthesized = false;
  };
  Result<ParsedOperand> grouped_operand();
  Result<ast::Operand> call();
  Result<ast::Operand> factor();
  Result<ast::Operand> rule_operand();
  Result<ast::Operand> word();
  Result<ast::Operand> rule_call();
  Result<ast::Operand> product(ast::Operand first);
  Result<ast::Operand> combined(Function function, ast::Operand left, ast::Operand right);
  Result<ast::Operand> literal(Value value);  // spelled as the current token
  Result<ast::Operand> number_literal();
  static std::string unquoted(std::string_view literal);
  Result<void> check_operands(const ast::Call& call, ast::Span where) const;
  Result<ast::PathElement> path_name();
  Result<ast::PathElement> path_index();
  void check_function(std::string_view name, const std::optional<Function>& function);
  std::uint32_t slot(std::vector<std::string>& placeholders);
  std::string_view text_of(ast::Span span) const { return text_.substr(span.offset, span.length); }
  Error too_deep();
  Error empty_or_too_long() const;  // for a rule
  std::size_t operator_tokens() const;

  std::string_view text_;
  ExpressionKind kind_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t operators_ = 0;
  ast::Placeholders placeholders_;
  ShapeFaults faults_;
};

}  // namespace tavola::expr
