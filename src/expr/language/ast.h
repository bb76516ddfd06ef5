// The trees of parsed expressions. They contain no names and values of a request, only numbered slots for its
// placeholders, so one tree serves every request with the same text. The parsers (and legacy_*.cc) build them;
// afterwards they never change. Comparing two trees with == compares their structure. Rules (rule.h) are parsed to the
// same trees; only theirs contain literals and the positions of operands in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tavola/value.h>

#include "base/overloaded.h"
#include "expr/language/functions.h"

namespace tavola::expr {

namespace ast {

// The placeholders of a text, each once, in the order of first mention: slot 0, 1, 2 …
struct Placeholders {
  std::vector<std::string> names;   // "#n"
  std::vector<std::string> values;  // ":v"; a literal as written
  // Rules: the values of literals, by slot; nullopt for parameters.
  std::vector<std::optional<Value>> literals;
  friend bool operator==(const Placeholders&, const Placeholders&) = default;
};

struct PathElement {
  enum class Kind : std::uint8_t { Name, Placeholder, Index };
  Kind kind = Kind::Name;
  std::uint32_t number = 0;  // Placeholder: its slot. Index: the position in the list.
  std::string name;          // Name: the attribute's name.
  friend bool operator==(const PathElement&, const PathElement&) = default;
};

// A document path; never empty, and its first element is not an index.
struct Path {
  std::vector<PathElement> elements;
  friend bool operator==(const Path&, const Path&) = default;
};

struct ValueSlot {
  std::uint32_t slot = 0;
  friend bool operator==(ValueSlot, ValueSlot) = default;
};

struct Operand;

// The number of operands may be wrong: AWS reports that only after names and values (bind_*.cc).
struct Call {
  Function function = Function::Size;
  std::vector<Operand> operands;
  bool operator==(const Call&) const;
};

// The bytes of an operand in the text. Operands compare equal regardless of their position.
struct Span {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  friend bool operator==(Span, Span) { return true; }
};

struct Operand {
  std::variant<Path, ValueSlot, Call> form;
  Span source = {};
  friend bool operator==(const Operand&, const Operand&) = default;
};

inline bool Call::operator==(const Call&) const = default;

enum class Comparator : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Comparison {
  Comparator comparator = Comparator::Equal;
  Operand left;
  Operand right;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

struct Between {
  Operand value;
  Operand low;
  Operand high;
  friend bool operator==(const Between&, const Between&) = default;
};

struct In {
  Operand value;
  std::vector<Operand> candidates;
  friend bool operator==(const In&, const In&) = default;
};

struct Node;

struct And {
  std::vector<Node> terms;  // two or more
  bool operator==(const And&) const;
};

struct Or {
  std::vector<Node> terms;  // two or more
  bool operator==(const Or&) const;
};

struct Not {
  std::vector<Node> term;  // exactly one
  bool operator==(const Not&) const;
};

struct Node {
  std::variant<Comparison, Between, In, Call, And, Or, Not> form;
  friend bool operator==(const Node&, const Node&) = default;
};

inline bool And::operator==(const And&) const = default;
inline bool Or::operator==(const Or&) const = default;
inline bool Not::operator==(const Not&) const = default;

struct Condition {
  Node root;
  Placeholders placeholders;
  friend bool operator==(const Condition&, const Condition&) = default;
};

// A rule that computes a value.
struct Formula {
  Operand root;
  Placeholders placeholders;
  friend bool operator==(const Formula&, const Formula&) = default;
};

struct Projection {
  std::vector<Path> paths;
  Placeholders placeholders;
  friend bool operator==(const Projection&, const Projection&) = default;
};

enum class Section : std::uint8_t { Set, Remove, Add, Delete };

struct Action {
  Section section = Section::Set;
  Path path;
  std::optional<Operand> value;  // absent for REMOVE
  friend bool operator==(const Action&, const Action&) = default;
};

struct Update {
  std::vector<Action> actions;  // as written
  Placeholders placeholders;
  // Made from AttributeUpdates: then a wrong type has another message, and ADD accepts lists.
  bool older_parameters = false;
  friend bool operator==(const Update&, const Update&) = default;
};

}  // namespace ast
}  // namespace tavola::expr
