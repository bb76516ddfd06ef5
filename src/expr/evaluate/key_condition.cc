#include "expr/evaluate/key_condition.h"

#include <algorithm>
#include <array>
#include <span>

namespace tavola::expr {

namespace {

using ast::Comparator;
using ast::Operand;

KeyOperator key_operator(Comparator comparator) {
  switch (comparator) {
    case Comparator::Less:
      return KeyOperator::Lt;
    case Comparator::LessEqual:
      return KeyOperator::Le;
    case Comparator::Greater:
      return KeyOperator::Gt;
    case Comparator::GreaterEqual:
      return KeyOperator::Ge;
    default:
      return KeyOperator::Eq;
  }
}

// Swaps the sides: `:v < a` means `a > :v`.
KeyOperator turned(KeyOperator op) {
  switch (op) {
    case KeyOperator::Lt:
      return KeyOperator::Gt;
    case KeyOperator::Le:
      return KeyOperator::Ge;
    case KeyOperator::Gt:
      return KeyOperator::Lt;
    case KeyOperator::Ge:
      return KeyOperator::Le;
    default:
      return op;
  }
}

bool is_path(const Operand& operand) { return std::holds_alternative<ast::Path>(operand.form); }

class Collector {
 public:
  explicit Collector(const Bindings& bindings) : bindings_(bindings) {}

  Result<void> collect(const ast::Node& node) {
    return std::visit([this](const auto& form) { return collect(form); }, node.form);
  }

  KeyCondition finish() && { return {std::move(terms_), nullptr}; }

 private:
  Result<void> collect(const ast::And& all) {
    for (const ast::Node& term : all.terms) TAVOLA_CHECK(collect(term));
    return {};
  }
  Result<void> collect(const ast::Or&) { return fail(messages::key_condition_operator("OR")); }
  Result<void> collect(const ast::Not&) { return fail(messages::key_condition_operator("NOT")); }
  Result<void> collect(const ast::In&) { return fail(messages::key_condition_operator("IN")); }

  Result<void> collect(const ast::Comparison& comparison) {
    if (comparison.comparator == Comparator::NotEqual) return fail(messages::key_condition_operator("<>"));
    const std::array<const Operand*, 2> operands{&comparison.left, &comparison.right};
    TAVOLA_TRY(const std::string_view attribute, only_attribute(operands));
    const KeyOperator op = key_operator(comparison.comparator);
    const bool left = is_path(comparison.left);
    const ValueView value = value_of(left ? comparison.right : comparison.left);
    return add({std::string(attribute), left ? op : turned(op), value, value});
  }

  Result<void> collect(const ast::Between& between) {
    if (!is_path(between.value)) return fail(messages::key_condition_first_operand("BETWEEN"));
    const std::array<const Operand*, 3> operands{&between.value, &between.low, &between.high};
    TAVOLA_TRY(const std::string_view attribute, only_attribute(operands));
    return add({std::string(attribute), KeyOperator::Between, value_of(between.low), value_of(between.high)});
  }

  Result<void> collect(const ast::Call& call) {
    const std::string_view name = info(call.function).name;
    if (call.function != Function::BeginsWith) return fail(messages::key_condition_operator(name));
    if (!is_path(call.operands[0])) return fail(messages::key_condition_first_operand(name));
    const std::array<const Operand*, 2> operands{&call.operands[0], &call.operands[1]};
    TAVOLA_TRY(const std::string_view attribute, only_attribute(operands));
    const ValueView prefix = value_of(call.operands[1]);
    return add({std::string(attribute), KeyOperator::BeginsWith, prefix, prefix});
  }

  // Returns the only path among the operands, which must be a top-level attribute. All other operands are values.
  Result<std::string_view> only_attribute(std::span<const Operand* const> operands) const {
    const ast::Path* attribute = nullptr;
    for (const Operand* operand : operands) {
      if (std::holds_alternative<ast::Call>(operand->form))
        return fail(messages::key_condition_nested_operation());
      const auto* path = std::get_if<ast::Path>(&operand->form);
      if (path == nullptr) continue;
      if (attribute != nullptr) return fail(messages::key_condition_many_attributes());
      if (path->elements.size() > 1) return fail(messages::key_condition_nested_attribute());
      attribute = path;
    }
    if (attribute == nullptr) return fail(messages::key_condition_no_attribute());
    return element_name(attribute->elements.front(), bindings_.names);
  }

  ValueView value_of(const Operand& operand) const {
    return bindings_.values[std::get<ast::ValueSlot>(operand.form).slot];
  }

  Result<void> add(KeyTerm term) {
    if (std::ranges::find(terms_, term.attribute, &KeyTerm::attribute) != terms_.end()) {
      return fail(messages::key_condition_repeated());
    }
    terms_.push_back(std::move(term));
    return {};
  }

  const Bindings& bindings_;
  std::vector<KeyTerm> terms_;
};

}  // namespace

Result<KeyCondition> key_condition(const ast::Condition& tree, const Bindings& bindings) {
  Collector collector(bindings);
  TAVOLA_CHECK(collector.collect(tree.root));
  return std::move(collector).finish();
}

}  // namespace tavola::expr
