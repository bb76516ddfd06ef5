// The legacy parameters, validated in AWS's words and turned into the trees of equivalent expressions.
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

// A tree and its bindings; the bindings own the operands. Both are null if there is nothing to check or to do.
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
// Returns nullopt for an operator that key conditions do not have.
std::optional<KeyOperator> key_operator(ComparisonOperator op);

// Collects the operands of a tree while it is built.
class OperandCollector {
 public:
  // Returns the slot of `value`, as an operand.
  ast::Operand add(const Value& value);
  // Packs the added values. Fails with pack()'s words.
  Result<std::shared_ptr<Bindings>> bind() &&;

 private:
  std::vector<const Value*> values_;
};

// The path to a top-level attribute.
ast::Path attribute_path(std::string_view name);

}  // namespace tavola::expr
