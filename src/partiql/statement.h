// The trees of parsed statements. They know nothing of tables, and of parameters only the positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partiql/lexer.h"

namespace tavola::partiql {

struct Step {
  std::string name{};       // empty for an index
  std::uint32_t index = 0;  // 0 for a name
  bool is_index = false;
  friend bool operator==(const Step&, const Step&) = default;
};
// Never empty; begins with a name.
struct Path {
  std::vector<Step> steps;
  friend bool operator==(const Path&, const Path&) = default;
};

struct Expr;
struct Select;

struct NumberText {
  std::string text;  // as written
};
struct Text {
  std::string text;
};
struct Boolean {
  bool value = false;
};
struct NullValue {};
struct Missing {};
struct Ion {
  std::string text;
};
struct Parameter {
  std::size_t position = 0;  // from 0, in the order of the statement
};
// [a, b], (a, b) and <<a, b>>
struct Sequence {
  enum class Kind : std::uint8_t { List, Bag };
  Kind kind = Kind::List;
  std::vector<Expr> elements;
};
struct Tuple {
  std::vector<Expr> names;
  std::vector<Expr> values;  // as many
};
struct Call {
  std::string function;  // in lower case
  std::vector<Expr> operands;
  std::shared_ptr<const Select> select{};  // of EXISTS(SELECT …)
};

enum class Operator : std::uint8_t {
  Or,
  And,
  Not,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Between,
  In,
  Like,
  Plus,
  Minus,
  Times,
  Divide,
  Modulo,
  Concat,
  Negate,
  Affirm,
};
std::string_view to_text(Operator op);

struct Operation {
  Operator op = Operator::And;
  std::vector<Expr> operands;
};
// a IS [NOT] MISSING
struct TypeTest {
  std::vector<Expr> operand;  // exactly one
  std::string type;           // in lower case
  bool negated = false;
};

struct Expr {
  std::variant<Path, NumberText, Text, Boolean, NullValue, Missing, Ion, Parameter, Sequence, Tuple, Call,
               Operation, TypeTest>
      form;
  Place place;  // of its first token; for an operation: of its operator
};

// "table"."index"
struct Source {
  std::string table;
  std::string index{};
};

struct OrderKey {
  std::string attribute;
  bool descending = false;
};

struct Select {
  std::vector<Expr> columns;  // paths; none: all attributes
  Source from;
  std::optional<Expr> where;
  std::vector<OrderKey> order;
};

struct Insert {
  Source into;
  Expr item;
};

enum class Returning : std::uint8_t { AllOld, ModifiedOld, AllNew, ModifiedNew };
std::string_view to_text(Returning returning);  // "ALL OLD *"

struct Change {
  Path target;
  std::optional<Expr> value;  // nothing: REMOVE
};
struct Update {
  Source table;
  std::vector<Change> changes;  // at least one
  std::optional<Expr> where;
  std::optional<Returning> returning;
};

struct Delete {
  Source from;
  std::optional<Expr> where;
  std::optional<Returning> returning;
};

// EXISTS(SELECT …), a condition of a transaction.
struct Exists {
  Select select;
};

using Statement = std::variant<Select, Insert, Update, Delete, Exists>;

const Source& source_of(const Statement& statement);
inline bool is_read(const Statement& statement) { return std::holds_alternative<Select>(statement); }

}  // namespace tavola::partiql
