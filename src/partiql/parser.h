// The parser of statements: a cursor over the tokens, and a function for each rule of the grammar (parse.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "partiql/lexer.h"
#include "partiql/statement.h"

namespace tavola::partiql {

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

  Result<Statement> statement();

 private:
  // Statements.
  Result<Statement> statement_of_any_kind();
  Result<Statement> insert();
  Result<Statement> update();
  Result<Statement> update_from_first();
  Result<Statement> remove();
  Result<Statement> no_statement();
  Result<Select> select();
  Result<void> select_list(Select& select);
  Result<void> order_by(Select& select);
  Result<void> unsupported_clauses();
  Result<Source> source();
  Result<void> alias();
  Result<void> changes(std::vector<Change>& changes);
  Result<void> assignment(std::vector<Change>& changes);
  Result<Path> target();
  Result<std::optional<Expr>> where();
  Result<std::optional<Returning>> returning();

  // Expressions (parse_expression.cc).
  Result<Expr> expression();
  Result<Expr> conjunction();
  Result<Expr> negation();
  Result<Expr> equality();
  Result<Expr> comparison();
  Result<Expr> sum();
  Result<Expr> product();
  Result<Expr> unary();
  Result<Expr> term();
  Result<Expr> word_term();
  Result<Expr> symbol_term();
  Result<Expr> type_test(Expr operand);
  Result<Expr> between(Expr value, Place place);
  Result<Expr> call();
  Result<std::vector<Expr>> elements(std::string_view close);
  Result<Expr> tuple();
  Result<Path> path();
  Result<Step> dot_step();
  Result<Step> bracket_step();
  // Parses the operand after an operator that was taken.
  Result<Expr> right_side(Result<Expr> (Parser::*rule)());
  Expr operation(Operator op, Place place, std::vector<Expr> operands);

  // The cursor.
  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at_word(std::string_view word, std::size_t ahead = 0) const;  // a keyword
  bool at_symbol(std::string_view symbol, std::size_t ahead = 0) const;
  bool at_name(std::size_t ahead = 0) const;  // a quoted name, or a word that is not a keyword
  bool accept_word(std::string_view word);
  bool accept_symbol(std::string_view symbol);
  Result<void> expect_word(std::string_view word);
  Result<void> expect_symbol(std::string_view symbol);
  // Records something well-formed that is not supported: the first one is reported once the whole text is well-formed.
  void refuse(Error error);
  Error unexpected() const;  // at a term

  // The parser recurses, and so does all code that walks its trees: a text of 8 KB can contain thousands of
  // parentheses, or of links in a chain of operators, which nests to the left: a = b = c is (a = b) = c.
  static constexpr std::size_t kDepthMax = 128;
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };
  Result<void> check_depth() const;
  Result<void> count_link();  // the second operator of a chain, and all after it

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t links_ = 0;
  std::size_t parameters_ = 0;
  std::optional<Error> refused_;
};

}  // namespace tavola::partiql
