// The older parameters, validated in AWS's words and turned into the trees of the expressions that say the
// same.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/expression.h>

#include "expr/evaluate/bind.h"
#include "expr/evaluate/compile.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// A tree and its bindings; the bindings own the operands. Both null: there is nothing to check or to do.
template <class Tree>
struct Translated {
  std::shared_ptr<const Tree> tree;
  std::shared_ptr<const Bindings> bindings;
};

Result<Translated<ast::Condition>> translate(const ExpectedAttributes& expected, ConditionalOperator op);
Result<Translated<ast::Condition>> translate(const LegacyConditions& conditions, ConditionalOperator op);
Result<Translated<ast::Projection>> translate(const std::vector<std::string>& attributes_to_get);
Result<Translated<ast::Update>> translate(const AttributeUpdates& updates);
Result<KeyCondition> translate_key_conditions(const LegacyConditions& conditions);
// Nothing for an operator that no key condition has.
std::optional<KeyOperator> key_operator(ComparisonOperator op);

// Collects the operands of a tree that is being built.
class OperandCollector {
 public:
  // The slot of `value`, as an operand.
  ast::Operand add(const Value& value);
  // Packs what was added. Fails with pack()'s words.
  Result<std::shared_ptr<Bindings>> bind() &&;

 private:
  std::vector<const Value*> values_;
};

// The path to a top-level attribute.
ast::Path attribute_path(std::string_view name);

}  // namespace tavola::expr
