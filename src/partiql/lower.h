// Lowers the trees of statements to those of the expression engine.
#pragma once

#include <vector>

#include <tavola/error.h>

#include "partiql/literal.h"
#include "partiql/slots.h"
#include "partiql/statement.h"

namespace tavola::partiql {

class StatementLowerer {
 public:
  // Adds to `slots`.
  StatementLowerer(Slots& slots, Parameters parameters) : slots_(slots), parameters_(parameters) {}

  Result<ast::Node> condition(const Expr& where);
  Result<ast::Action> change(const Change& change);

 private:
  Result<ast::Node> lower(const Expr& expr, std::string_view otherwise);
  Result<ast::Node> operation(const Operation& operation, Place place);
  Result<std::vector<ast::Node>> terms(const Operation& operation, std::string_view otherwise);
  Result<ast::Node> comparison(ast::Comparator op, const Operation& operation);
  Result<ast::Node> compared_condition(const Operation& operation);
  Result<ast::Node> in(const Operation& operation);
  Result<ast::Node> type_test(const TypeTest& test);
  Result<ast::Node> function(const Call& call, Place place);
  Result<ast::Call> call(expr::Function function, const Call& call);
  Result<ast::Operand> operand(const Expr& expr);
  Result<ast::Operand> update_value(const Expr& expr);
  Result<ast::Action> set_change(const Path& target, const Call& call, Place place);

  Slots& slots_;
  Parameters parameters_;
};

}  // namespace tavola::partiql
