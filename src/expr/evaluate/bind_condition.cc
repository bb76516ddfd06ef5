#include <array>

#include "expr/evaluate/bind.h"
#include "value/limits.h"

namespace tavola::expr {

namespace {

using ast::Operand;
using Detail = std::optional<std::string>;

constexpr std::array<std::string_view, 6> kComparatorNames{"=", "<>", "<", "<=", ">", ">="};

bool is_ordered(Type type) { return type == Type::String || type == Type::Number || type == Type::Binary; }

class ConditionChecker {
 public:
  ConditionChecker(const ast::Condition& tree, const Bindings& bindings) : tree_(tree), bindings_(bindings) {}

  Detail check(const ast::Node& node) const {
    if (const auto* all = std::get_if<ast::And>(&node.form)) return check_terms(all->terms);
    if (const auto* any = std::get_if<ast::Or>(&node.form)) return check_terms(any->terms);
    if (const auto* negated = std::get_if<ast::Not>(&node.form)) return check_terms(negated->term);
    return check_relation(node);
  }

 private:
  Detail check_terms(const std::vector<ast::Node>& terms) const {
    for (const ast::Node& term : terms) {
      if (Detail detail = check(term)) return detail;
    }
    return std::nullopt;
  }

  // Checks one comparison or function: each kind of fault in all operands before the next kind.
  Detail check_relation(const ast::Node& node) const {
    if (Detail detail = each_operand(node, &ConditionChecker::undefined)) return detail;
    if (Detail detail = each_operand(node, &ConditionChecker::operand_counts)) return detail;
    if (const auto* call = std::get_if<ast::Call>(&node.form)) {
      if (Detail detail = operand_count(*call)) return detail;
    }
    if (Detail detail = each_operand(node, &ConditionChecker::not_distinct_in)) return detail;
    if (Detail detail = not_distinct(node)) return detail;
    if (Detail detail = each_operand(node, &ConditionChecker::wrong_types_in)) return detail;
    return wrong_types(node);
  }

  using OperandCheck = Detail (ConditionChecker::*)(const Operand&) const;

  Detail each_operand(const ast::Node& node, OperandCheck look) const {
    const auto all = [&](const auto&... operands) {
      Detail detail;
      static_cast<void>(((detail = (this->*look)(operands)) || ...));
      return detail;
    };
    return std::visit(Overloaded{
                          [&](const ast::Comparison& x) { return all(x.left, x.right); },
                          [&](const ast::Between& x) { return all(x.value, x.low, x.high); },
                          [&](const ast::In& x) {
                            Detail detail = all(x.value);
                            for (auto it = x.candidates.begin(); !detail && it != x.candidates.end(); ++it)
                              detail = all(*it);
                            return detail;
                          },
                          [&](const ast::Call& x) { return in_operands(x, look); },
                          [](const auto&) { return Detail(); },
                      },
                      node.form);
  }

  Detail in_operands(const ast::Call& call, OperandCheck look) const {
    for (const Operand& operand : call.operands) {
      if (Detail detail = (this->*look)(operand)) return detail;
    }
    return std::nullopt;
  }

  Detail undefined(const Operand& operand) const {
    if (Detail detail = undefined_placeholder(operand, tree_.placeholders, bindings_)) return detail;
    return deep_path(operand);
  }

  Detail deep_path(const Operand& operand) const {
    if (const auto* path = std::get_if<ast::Path>(&operand.form)) return too_deep(*path);
    if (const auto* call = std::get_if<ast::Call>(&operand.form)) {
      return in_operands(*call, &ConditionChecker::deep_path);
    }
    return std::nullopt;
  }

  Detail operand_counts(const Operand& operand) const {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr) return std::nullopt;
    if (Detail detail = in_operands(*call, &ConditionChecker::operand_counts)) return detail;
    return operand_count(*call);
  }

  static Detail operand_count(const ast::Call& call) {
    if (call.operands.size() == info(call.function).operands) return std::nullopt;
    return messages::operand_count(info(call.function).name, call.operands.size());
  }

  // AWS refuses `a = a` and the like.
  Detail same(std::string_view op, const Operand& first, const Operand& other) const {
    const auto* a = std::get_if<ast::Path>(&first.form);
    const auto* b = std::get_if<ast::Path>(&other.form);
    if (a == nullptr || b == nullptr || !same_path(*a, *b, bindings_.names)) return std::nullopt;
    return messages::operands_not_distinct(op, path_text(bind_path(*a, bindings_.names)));
  }

  Detail not_distinct_call(const ast::Call& call) const {
    if (call.operands.size() != 2) return std::nullopt;
    return same(info(call.function).name, call.operands[0], call.operands[1]);
  }

  Detail not_distinct_in(const Operand& operand) const {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr) return std::nullopt;
    if (Detail detail = in_operands(*call, &ConditionChecker::not_distinct_in)) return detail;
    return not_distinct_call(*call);
  }

  Detail not_distinct(const ast::Node& node) const {
    return std::visit(Overloaded{
                          [&](const ast::Comparison& x) {
                            return same(kComparatorNames[static_cast<std::size_t>(x.comparator)], x.left,
                                        x.right);
                          },
                          [&](const ast::Between& x) {
                            Detail detail = same("BETWEEN", x.value, x.low);
                            return detail ? detail : same("BETWEEN", x.value, x.high);
                          },
                          [&](const ast::In& x) {
                            Detail detail;
                            for (const Operand& candidate : x.candidates) {
                              if (!detail) detail = same("IN", x.value, candidate);
                            }
                            return detail;
                          },
                          [&](const ast::Call& x) { return not_distinct_call(x); },
                          [](const auto&) { return Detail(); },
                      },
                      node.form);
  }

  // Returns the type that an operand has in every item; nullopt for a path.
  std::optional<Type> fixed_type(const Operand& operand) const {
    if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form))
      return bindings_.values[value->slot].type();
    if (std::holds_alternative<ast::Call>(operand.form)) return Type::Number;  // size()
    return std::nullopt;
  }

  template <class Allowed>
  Detail wrong_type(std::string_view op, const Operand& operand, Allowed allowed) const {
    const std::optional<Type> type = fixed_type(operand);
    if (!type || allowed(*type)) return std::nullopt;
    return messages::operand_type(op, type_name(*type));
  }

  Detail wrong_types_in(const Operand& operand) const {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr) return std::nullopt;
    if (Detail detail = in_operands(*call, &ConditionChecker::wrong_types_in)) return detail;
    return wrong_types_call(*call);
  }

  Detail wrong_types_call(const ast::Call& call) const {
    const std::string_view name = info(call.function).name;
    switch (call.function) {
      case Function::AttributeExists:
      case Function::AttributeNotExists:
        if (std::holds_alternative<ast::Path>(call.operands[0].form)) return std::nullopt;
        return messages::path_required(name);
      case Function::BeginsWith:
        for (const Operand& operand : call.operands) {
          const auto allowed = [](Type type) { return type == Type::String || type == Type::Binary; };
          if (Detail detail = wrong_type(name, operand, allowed)) return detail;
        }
        return std::nullopt;
      case Function::Size:
        return wrong_type(name, call.operands[0], [](Type type) {
          return type != Type::Number && type != Type::Bool && type != Type::Null;
        });
      case Function::AttributeType:
        return wrong_type_name(name, call.operands[1]);
      default:
        return std::nullopt;
    }
  }

  Detail wrong_type_name(std::string_view function, const Operand& operand) const {
    if (std::holds_alternative<ast::Path>(operand.form)) {
      return messages::operand_type(function, messages::any_operand_type());
    }
    if (Detail detail = wrong_type(function, operand, [](Type type) { return type == Type::String; }))
      return detail;
    const std::string_view named = bindings_.values[std::get<ast::ValueSlot>(operand.form).slot].string();
    for (int type = 1; type <= 10; ++type) {
      if (type_name(static_cast<Type>(type)) == named) return std::nullopt;
    }
    return messages::unknown_type_name(named);
  }

  Detail wrong_types(const ast::Node& node) const {
    return std::visit(Overloaded{
                          [&](const ast::Comparison& x) { return wrong_types_compared(x); },
                          [&](const ast::Between& x) { return wrong_bounds(x); },
                          [](const ast::In& x) -> Detail {
                            if (x.candidates.size() <= limits::kInOperandsMax) return std::nullopt;
                            return messages::too_many_in_operands(x.candidates.size());
                          },
                          [&](const ast::Call& x) { return wrong_types_call(x); },
                          [](const auto&) { return Detail(); },
                      },
                      node.form);
  }

  Detail wrong_types_compared(const ast::Comparison& comparison) const {
    const ast::Comparator op = comparison.comparator;
    if (op == ast::Comparator::Equal || op == ast::Comparator::NotEqual) return std::nullopt;
    const std::string_view name = kComparatorNames[static_cast<std::size_t>(op)];
    Detail detail = wrong_type(name, comparison.left, is_ordered);
    return detail ? detail : wrong_type(name, comparison.right, is_ordered);
  }

  Detail wrong_bounds(const ast::Between& between) const {
    for (const Operand* operand : {&between.value, &between.low, &between.high}) {
      if (Detail detail = wrong_type("BETWEEN", *operand, is_ordered)) return detail;
    }
    const auto* low_slot = std::get_if<ast::ValueSlot>(&between.low.form);
    const auto* high_slot = std::get_if<ast::ValueSlot>(&between.high.form);
    if (low_slot == nullptr || high_slot == nullptr) return std::nullopt;
    const ValueView low = bindings_.values[low_slot->slot];
    const ValueView high = bindings_.values[high_slot->slot];
    if (low.type() != high.type()) return messages::between_types_differ(low, high);
    if (low.ordered_bytes() > high.ordered_bytes()) return messages::between_bounds_reversed(low, high);
    return std::nullopt;
  }

  const ast::Condition& tree_;
  const Bindings& bindings_;
};

}  // namespace

Result<void> check_condition(const ast::Condition& tree, const Bindings& bindings, ExpressionKind kind) {
  if (const Detail detail = ConditionChecker(tree, bindings).check(tree.root)) {
    return fail(messages::invalid(kind, *detail));
  }
  return {};
}

}  // namespace tavola::expr
