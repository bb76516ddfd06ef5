#include "expr/language/functions.h"

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
    FunctionInfo{"*", Function::Times, FunctionPlace::Rule, 2},
    FunctionInfo{"/", Function::Divide, FunctionPlace::Rule, 2},
    FunctionInfo{"-", Function::Negate, FunctionPlace::Rule, 1},
    FunctionInfo{"now", Function::Now, FunctionPlace::Rule, 0},
    FunctionInfo{"iso", Function::Iso, FunctionPlace::Rule, 1},
    FunctionInfo{"ms", Function::Ms, FunctionPlace::Rule, 1},
    FunctionInfo{"lower", Function::Lower, FunctionPlace::Rule, 1},
    FunctionInfo{"upper", Function::Upper, FunctionPlace::Rule, 1},
    FunctionInfo{"join", Function::Join, FunctionPlace::Rule, 2, true},
    FunctionInfo{"concat", Function::Concat, FunctionPlace::Rule, 1, true},
    FunctionInfo{"core_domain", Function::CoreDomain, FunctionPlace::Rule, 1},
    FunctionInfo{"hostname", Function::Hostname, FunctionPlace::Rule, 1},
    FunctionInfo{"substring", Function::Substring, FunctionPlace::Rule, 3},
    FunctionInfo{"round", Function::Round, FunctionPlace::Rule, 2},
    FunctionInfo{"day", Function::Day, FunctionPlace::Rule, 1, false, 2},
    FunctionInfo{"week", Function::Week, FunctionPlace::Rule, 1, false, 2},
    FunctionInfo{"month", Function::Month, FunctionPlace::Rule, 1, false, 2},
    FunctionInfo{"start_of", Function::StartOf, FunctionPlace::Rule, 1, false, 1},
    FunctionInfo{"end_of", Function::EndOf, FunctionPlace::Rule, 1, false, 1},
    FunctionInfo{"sha256", Function::Sha256, FunctionPlace::Rule, 1},
    FunctionInfo{"md5", Function::Md5, FunctionPlace::Rule, 1},
    FunctionInfo{"first", Function::First, FunctionPlace::Rule, 1, true},
    FunctionInfo{"text", Function::Text, FunctionPlace::Rule, 1},
    FunctionInfo{"number", Function::Number, FunctionPlace::Rule, 1},
    FunctionInfo{"uuid", Function::Uuid, FunctionPlace::Rule, 0},
    FunctionInfo{"ulid", Function::Ulid, FunctionPlace::Rule, 0},
    FunctionInfo{"caller", Function::Caller, FunctionPlace::Rule, 0},
};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (static_cast<std::size_t>(kFunctions[i].function) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());

constexpr std::string_view kExists = "exists";
constexpr std::string_view kDate = "date";  // another name of day()

bool is_operator(const FunctionInfo& entry) { return entry.name.size() == 1; }

}  // namespace

const FunctionInfo& info(Function function) { return kFunctions[static_cast<std::size_t>(function)]; }

std::optional<Function> find_function(std::string_view name) {
  for (const FunctionInfo& entry : kFunctions) {
    if (entry.name == name && entry.place != FunctionPlace::Rule) return entry.function;
  }
  return std::nullopt;
}

std::optional<Function> find_rule_function(std::string_view name) {
  if (name == kExists) return Function::AttributeExists;
  if (name == kDate) return Function::Day;
  for (const FunctionInfo& entry : kFunctions) {
    if (entry.name == name) return entry.function;
  }
  return std::nullopt;
}

std::string rule_function_names() {
  std::string names(kExists);
  for (const FunctionInfo& entry : kFunctions) {
    if (!is_operator(entry)) names.append(", ").append(entry.name);
    if (entry.function == Function::Day) names.append(", ").append(kDate);
  }
  return names;
}

}  // namespace tavola::expr
