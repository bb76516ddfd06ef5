// The functions of the language, and its operators, which AWS treats as functions in its messages. Some exist in rules
// only (rule.h): in a request they are unknown functions.
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
  // Rules only.
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
  Hostname,
  Substring,
  Round,
  Day,
  Week,
  Month,
  StartOf,
  EndOf,
  Sha256,
  Md5,
  First,
  Text,
  Number,
  Uuid,
  Ulid,
  Caller,
};

// The positions in which a function is allowed.
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
  bool more = false;         // takes any number of further operands
  std::size_t optional = 0;  // takes up to so many further operands
};

const FunctionInfo& info(Function function);

// Returns the function written as `name`, which is case-sensitive; nullopt if there is none.
std::optional<Function> find_function(std::string_view name);
// Returns the function as rules spell it: all of them, and exists() for attribute_exists().
std::optional<Function> find_rule_function(std::string_view name);
// Returns "attribute_exists, contains, …": the functions of rules.
std::string rule_function_names();

}  // namespace tavola::expr
