#include "expr/functions.h"

#include <array>

namespace tavola::expr {

namespace {

constexpr std::array kFunctions{
    FunctionInfo{"attribute_exists", Function::AttributeExists, FunctionPlace::Condition, 1},
    FunctionInfo{"attribute_not_exists", Function::AttributeNotExists, FunctionPlace::Condition, 1},
    FunctionInfo{"attribute_type", Function::AttributeType, FunctionPlace::Condition, 2},
    FunctionInfo{"begins_with", Function::BeginsWith, FunctionPlace::Condition, 2},
    FunctionInfo{"contains", Function::Contains, FunctionPlace::Condition, 2},
    FunctionInfo{"size", Function::Size, FunctionPlace::Operand, 1},
    FunctionInfo{"if_not_exists", Function::IfNotExists, FunctionPlace::Update, 2},
    FunctionInfo{"list_append", Function::ListAppend, FunctionPlace::Update, 2},
    FunctionInfo{"+", Function::Plus, FunctionPlace::Update, 2},
    FunctionInfo{"-", Function::Minus, FunctionPlace::Update, 2},
};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (static_cast<std::size_t>(kFunctions[i].function) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());

}  // namespace

const FunctionInfo& info(Function function) { return kFunctions[static_cast<std::size_t>(function)]; }

std::optional<Function> find_function(std::string_view name) {
  for (const FunctionInfo& entry : kFunctions) {
    if (entry.name == name) return entry.function;
  }
  return std::nullopt;
}

}  // namespace tavola::expr
