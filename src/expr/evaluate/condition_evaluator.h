// Evaluates conditions, given the values of their operands. A request's operands are in its item and its values
// (evaluate_condition.cc), those of a rule are computed (rule.cc); both share this code.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/packed.h>

#include "expr/language/ast.h"
#include "value/key_codec.h"

namespace tavola::expr {

// The value of an operand: a view into the item or the request, or a number computed here. A missing
// attribute has none.
class OperandValue {
 public:
  OperandValue() = default;
  OperandValue(const OperandValue&) = delete;  // the view may point into computed_
  OperandValue& operator=(const OperandValue&) = delete;

  void set(std::optional<ValueView> view) { view_ = view.value_or(ValueView(kNoBytes)); }
  void set(const Number& number) {
    computed_ = static_cast<char>(Type::Number);  // fits into the string itself, without allocating
    append_ordered_number(computed_, number);
    view_ = ValueView(computed_);
  }
  bool missing() const { return view_.bytes().empty(); }
  ValueView view() const { return view_; }

 private:
  static constexpr std::string_view kNoBytes{};
  ValueView view_{kNoBytes};
  std::string computed_;
};

// DynamoDB counts a string in UTF-16 units, as Java does: "é𝄞" has 3.
inline std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) ++units;
    if (byte >= 0xF0) ++units;
  }
  return units;
}

// size() has no value for numbers, booleans and null.
inline std::optional<std::size_t> size_of(ValueView value) {
  switch (value.type()) {
    case Type::String:
      return utf16_length(value.string());
    case Type::Binary:
      return value.binary().size();
    case Type::List:
      return value.list().size();
    case Type::Map:
      return value.map().size();
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet:
      return value.set().size();
    default:
      return std::nullopt;
  }
}

// Returns whether two values have the same type and that type has an order.
inline bool comparable(ValueView a, ValueView b) {
  if (a.type() != b.type()) return false;
  return a.type() == Type::String || a.type() == Type::Number || a.type() == Type::Binary;
}

inline bool contains(ValueView container, ValueView part) {
  switch (container.type()) {
    case Type::String:
    case Type::Binary:
      return container.type() == part.type() &&
             container.ordered_bytes().find(part.ordered_bytes()) != std::string_view::npos;
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet: {
      const SetView set = container.set();
      return set.element_type() == part.type() && set.contains(part.ordered_bytes());
    }
    case Type::List: {
      const ListView list = container.list();
      return std::any_of(list.begin(), list.end(), [&](ValueView element) { return element == part; });
    }
    default:
      return false;
  }
}

inline bool begins_with(ValueView whole, ValueView prefix) {
  if (whole.type() != prefix.type()) return false;
  if (whole.type() != Type::String && whole.type() != Type::Binary) return false;
  return whole.ordered_bytes().starts_with(prefix.ordered_bytes());
}

// `Operands` has evaluate(const ast::Operand&, OperandValue& out), which leaves `out` unchanged if there is no value.
template <class Operands>
class ConditionEvaluator {
 public:
  explicit ConditionEvaluator(const Operands& operands) : operands_(operands) {}

  bool holds(const ast::Node& node) const {
    return std::visit([this](const auto& form) { return this->holds(form); }, node.form);
  }

 private:
  bool holds(const ast::And& all) const {
    return std::ranges::all_of(all.terms, [this](const ast::Node& term) { return holds(term); });
  }
  bool holds(const ast::Or& any) const {
    return std::ranges::any_of(any.terms, [this](const ast::Node& term) { return holds(term); });
  }
  bool holds(const ast::Not& negated) const { return !holds(negated.term.front()); }

  // A missing attribute equals nothing, not even another one: it is unequal to everything and ordered with nothing.
  bool holds(const ast::Comparison& comparison) const {
    OperandValue left;
    OperandValue right;
    operands_.evaluate(comparison.left, left);
    operands_.evaluate(comparison.right, right);
    const bool missing = left.missing() || right.missing();
    if (comparison.comparator == ast::Comparator::Equal) return !missing && left.view() == right.view();
    if (comparison.comparator == ast::Comparator::NotEqual) return missing || !(left.view() == right.view());
    if (missing || !comparable(left.view(), right.view())) return false;
    const auto order = left.view().ordered_bytes() <=> right.view().ordered_bytes();
    switch (comparison.comparator) {
      case ast::Comparator::Less:
        return order < 0;
      case ast::Comparator::LessEqual:
        return order <= 0;
      case ast::Comparator::Greater:
        return order > 0;
      default:
        return order >= 0;
    }
  }

  bool holds(const ast::Between& between) const {
    OperandValue value;
    OperandValue low;
    OperandValue high;
    operands_.evaluate(between.value, value);
    operands_.evaluate(between.low, low);
    operands_.evaluate(between.high, high);
    if (value.missing() || low.missing() || high.missing()) return false;
    if (!comparable(value.view(), low.view()) || !comparable(value.view(), high.view())) return false;
    const std::string_view bytes = value.view().ordered_bytes();
    return low.view().ordered_bytes() <= bytes && bytes <= high.view().ordered_bytes();
  }

  bool holds(const ast::In& in) const {
    OperandValue value;
    operands_.evaluate(in.value, value);
    if (value.missing()) return false;
    return std::ranges::any_of(in.candidates, [&](const ast::Operand& operand) {
      OperandValue candidate;
      operands_.evaluate(operand, candidate);
      return !candidate.missing() && candidate.view() == value.view();
    });
  }

  bool holds(const ast::Call& call) const {
    OperandValue first;
    operands_.evaluate(call.operands[0], first);
    if (call.function == Function::AttributeExists) return !first.missing();
    if (call.function == Function::AttributeNotExists) return first.missing();
    OperandValue second;
    operands_.evaluate(call.operands[1], second);
    if (first.missing() || second.missing()) return false;
    switch (call.function) {
      case Function::AttributeType:
        return second.view().type() == Type::String &&
               type_name(first.view().type()) == second.view().string();
      case Function::BeginsWith:
        return begins_with(first.view(), second.view());
      default:
        return contains(first.view(), second.view());
    }
  }

  const Operands& operands_;
};

}  // namespace tavola::expr
