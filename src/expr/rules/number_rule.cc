#include "expr/rules/number_rule.h"

#include <algorithm>
#include <variant>

#include "expr/language/parse.h"
#include "expr/rules/rule_functions.h"

namespace tavola::expr {
namespace {

std::size_t operands_of(Function function) {
  switch (function) {
    case Function::Plus:
    case Function::Minus:
    case Function::Times:
    case Function::Divide:
      return 2;
    case Function::Negate:
      return 1;
    default:
      return 0;
  }
}

// Returns the number of a literal. Returns nothing for a duration, whose value depends on the field that it is added to.
std::optional<Number> plain_number(const ast::Placeholders& slots, std::size_t slot) {
  const std::optional<Value>& literal = slots.literals[slot];
  const Result<Number> written = Number::parse(slots.values[slot]);
  if (!literal || !literal->is_number() || !written || *written != literal->number()) return std::nullopt;
  return *written;
}

}  // namespace

std::optional<NumberRule> NumberRule::of(const Rule& rule) {
  const bool has_parts = std::ranges::any_of(rule.paths(), [](const auto& path) { return path.size() != 1; });
  const Result<ast::Formula> formula = parse_formula(rule.text());
  if (has_parts || !formula) return std::nullopt;
  NumberRule numbers;
  if (!numbers.add(formula->root, 0, rule, formula->placeholders)) return std::nullopt;
  return numbers;
}

bool NumberRule::add(const ast::Operand& operand, std::size_t depth, const Rule& rule,
                     const ast::Placeholders& slots) {
  if (depth >= kDepthMax) return false;
  if (const auto* const path = std::get_if<ast::Path>(&operand.form)) {
    const auto is_path = [&](const std::vector<std::string>& one) {
      return one.front() == path->elements.front().name;
    };
    const auto found = std::ranges::find_if(rule.paths(), is_path);  // another word is a text
    if (path->elements.size() != 1 || found == rule.paths().end()) return false;
    steps_.push_back(
        {.kind = Step::Kind::Field, .field = static_cast<std::size_t>(found - rule.paths().begin())});
    return true;
  }
  if (const auto* const slot = std::get_if<ast::ValueSlot>(&operand.form)) {
    const std::optional<Number> number = plain_number(slots, slot->slot);
    if (number) steps_.push_back({.kind = Step::Kind::Number, .number = *number});
    return number.has_value();
  }
  const auto& call = std::get<ast::Call>(operand.form);
  if (operands_of(call.function) == 0 || call.operands.size() != operands_of(call.function)) return false;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (!add(call.operands[i], depth + i, rule, slots)) return false;
  }
  steps_.push_back({.kind = Step::Kind::Function, .function = call.function});
  return true;
}

Result<void> NumberRule::apply(Function function, Stack& stack) {
  const std::size_t operands = operands_of(function);
  stack.size -= operands - 1;
  Number& first = stack.numbers[stack.size - 1];
  const Number& second = operands == 1 ? first : stack.numbers[stack.size];
  TAVOLA_TRY(first, calculate(function, first, second));
  return {};
}

}  // namespace tavola::expr
