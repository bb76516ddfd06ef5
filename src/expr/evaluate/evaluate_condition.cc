#include "expr/evaluate/evaluate_condition.h"

#include "expr/evaluate/condition_evaluator.h"

namespace tavola::expr {

namespace {

class RequestOperands {
 public:
  RequestOperands(const Bindings& bindings, const ItemView& item) : bindings_(bindings), item_(item) {}

  void evaluate(const ast::Operand& operand, OperandValue& out) const {
    if (const auto* path = std::get_if<ast::Path>(&operand.form)) {
      out.set(follow(item_, *path, bindings_.names));
    } else if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) {
      out.set(bindings_.values[value->slot]);
    } else {
      OperandValue argument;  // for size(), the only function that is an operand
      evaluate(std::get<ast::Call>(operand.form).operands[0], argument);
      if (argument.missing()) return;
      if (const std::optional<std::size_t> size = size_of(argument.view())) out.set(Number(*size));
    }
  }

 private:
  const Bindings& bindings_;
  const ItemView& item_;
};

}  // namespace

bool holds(const ast::Condition& tree, const Bindings& bindings, const ItemView& item) {
  const RequestOperands operands(bindings, item);
  return ConditionEvaluator(operands).holds(tree.root);
}

}  // namespace tavola::expr
