// The functions of the language, and `+` and `-`, which AWS treats as functions in its messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tavola::expr {

enum class Function : std::uint8_t {
  AttributeExists,
  AttributeNotExists,
  AttributeType,
  BeginsWith,
  Contains,
  Size,
  IfNotExists,
  ListAppend,
  Plus,
  Minus,
};

// Where a function may stand.
enum class FunctionPlace : std::uint8_t {
  Condition,  // is itself a condition
  Operand,    // is an operand of a condition
  Update,     // is a value of SET
};

struct FunctionInfo {
  std::string_view name;
  Function function;
  FunctionPlace place;
  std::size_t operands;
};

const FunctionInfo& info(Function function);

// The function written as `name`, which is case-sensitive; nothing when there is none.
std::optional<Function> find_function(std::string_view name);

}  // namespace tavola::expr
