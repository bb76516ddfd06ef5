// The values of a rule's operands.
#pragma once

#include <optional>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

using MaybeValue = std::optional<Value>;  // nullopt: an operand is missing

// Returns the item `product` in product.name; null if it is a field.
const Item* other_named(std::string_view name, const RuleInputs& inputs);

// Borrows its constructor arguments.
class RuleValues {
 public:
  RuleValues(std::string_view text, const ast::Placeholders& placeholders, const RuleInputs& inputs)
      : text_(text), placeholders_(placeholders), inputs_(inputs) {}

  // Fails, naming the position in the rule, on operands of wrong types and on arithmetic that fails.
  Result<MaybeValue> value(const ast::Operand& operand) const;
  Result<bool> holds(const ast::Node& node) const;

  std::string_view written(const ast::Operand& operand) const {
    return text_.substr(operand.source.offset, operand.source.length);
  }

 private:
  MaybeValue value(const ast::Path& path) const;
  MaybeValue value(ast::ValueSlot slot) const;
  Result<MaybeValue> value(const ast::Call& call) const;

  std::string_view text_;
  const ast::Placeholders& placeholders_;
  const RuleInputs& inputs_;
};

}  // namespace tavola::expr
