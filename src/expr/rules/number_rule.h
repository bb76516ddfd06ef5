// NumberRule: a rule that is arithmetic alone, such as `quantity * price`. It computes numbers from numbers, without trees of values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// Thread safety: immutable.
class NumberRule {
 public:
  // Returns nothing if the rule is a condition, or has anything but fields, numbers and + - * /.
  static std::optional<NumberRule> of(const Rule& rule);

  // Returns the value that Rule::value() computes. field(i) returns the number of the field rule.paths()[i]. Fails as the
  // arithmetic does, with a shorter message.
  template <class Field>
  Result<Number> value(Field field) const {
    Stack stack;
    for (const Step& step : steps_) {
      if (step.kind == Step::Kind::Function) {
        TAVOLA_CHECK(apply(step.function, stack));
      } else {
        stack.numbers[stack.size++] = step.kind == Step::Kind::Field ? field(step.field) : step.number;
      }
    }
    return stack.numbers[0];
  }

 private:
  static constexpr std::size_t kDepthMax = 8;
  struct Step {
    enum class Kind : std::uint8_t { Field, Number, Function };
    Kind kind;
    std::size_t field = 0;
    tavola::Number number{};
    expr::Function function{};
  };
  struct Stack {
    std::array<Number, kDepthMax> numbers;
    std::size_t size = 0;
  };

  static Result<void> apply(Function function, Stack& stack);
  // Appends the steps of an operand that leaves its value at this depth of the stack.
  bool add(const ast::Operand& operand, std::size_t depth, const Rule& rule, const ast::Placeholders& slots);

  std::vector<Step> steps_;  // an operand's steps come before those that use it
};

}  // namespace tavola::expr
