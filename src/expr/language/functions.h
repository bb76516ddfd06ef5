// The functions of the language, and its operators, which AWS treats as functions in its messages. Some are known to
// rules alone (rule.h): a request that uses one has used an unknown function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
  // Of rules.
  Times,
  Divide,
  Negate,
  Now,
  Iso,
  Ms,
  Lower,
  Upper,
  Join,
  Concat,
  CoreDomain,
  Sha256,
  Md5,
  First,
  Text,
  Number,
  Uuid,
  Ulid,
  Caller,
};

// Where a function may stand.
enum class FunctionPlace : std::uint8_t {
  Condition,  // is itself a condition
  Operand,    // is an operand of a condition
  Update,     // is a value of SET
  Rule,       // is a value in a rule
};

struct FunctionInfo {
  std::string_view name;
  Function function;
  FunctionPlace place;
  std::size_t operands;
  bool more = false;  // takes any number of operands beyond that
};

const FunctionInfo& info(Function function);

// The function written as `name`, which is case-sensitive; nothing when there is none.
std::optional<Function> find_function(std::string_view name);
// As a rule writes it: all of them, and exists() for attribute_exists().
std::optional<Function> find_rule_function(std::string_view name);
// "attribute_exists, contains, …": what can be written in a rule.
std::string rule_function_names();

}  // namespace tavola::expr
