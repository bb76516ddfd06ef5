// Conditions and updates as structures. The generator makes them, the model applies them to trees of values
// (evaluate.cc), and the engine gets them as expression text (render.h): the two share no code.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <tavola/value.h>

#include "tests/model/values.h"

namespace tavola::model {

enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

struct Condition {
  enum class Kind : std::uint8_t {
    And,
    Or,
    Not,
    Compare,       // path op values[0]
    ComparePaths,  // path op other
    CompareSize,   // size(path) op values[0]
    Between,       // path BETWEEN values[0] AND values[1]
    In,            // path IN (values...)
    Exists,
    NotExists,
    TypeIs,      // attribute_type(path, values[0])
    BeginsWith,  // begins_with(path, values[0])
    Contains,    // contains(path, values[0])
  };
  Kind kind = Kind::Exists;
  std::vector<Condition> operands{};  // for And, Or, Not
  Path path{};
  Path other{};
  Comparison comparison = Comparison::Equal;
  std::vector<Value> values{};
};

// One side of a SET: a value, a path, or if_not_exists(path, value).
struct Operand {
  enum class Kind : std::uint8_t { Literal, Attribute, IfNotExists };
  Kind kind = Kind::Literal;
  Path path{};
  Value value{};
};

struct Action {
  enum class Kind : std::uint8_t {
    Set,         // SET path = left
    SetSum,      // SET path = left + right
    SetMinus,    // SET path = left - right
    SetAppend,   // SET path = list_append(left, right)
    Remove,      // REMOVE path
    Add,         // ADD path left (a literal)
    DeleteFrom,  // DELETE path left (a literal)
  };
  Kind kind = Kind::Set;
  Path path{};
  Operand left{};
  Operand right{};
};
using Update = std::vector<Action>;

bool holds(const Condition& condition, const Item& item);

// AWS's errors if an update does not fit the item.
enum class UpdateFault : std::uint8_t { MissingAttribute, WrongType, InvalidPath };
std::string message_of(UpdateFault fault);

// Returns the item after the update, or all its faults (AWS names one of them). `before` has at least the
// key.
std::expected<Item, std::vector<UpdateFault>> updated(const Update& update, const Item& before);

}  // namespace tavola::model
