// The door of the room: texts (or the older parameters) in, things that can be applied to items out.
//
//   Compiler compiler(request.names, request.values.view());
//   TAVOLA_TRY(Condition condition, compiler.condition(request.condition_expression));
//   TAVOLA_TRY(Update update, compiler.update(request.update_expression));
//   TAVOLA_CHECK(compiler.check_all_used());        // names and values that no expression mentioned
//   if (!condition.holds(item)) ...
//
// Parsing is cached by text (cache.h); binding names and values to the tree is per request. What is compiled
// borrows `names` and `values` of the Compiler: they must outlive it. All errors are ValidationException in
// AWS's words. Thread safety: a compiled object is immutable and may be used from many threads; a Compiler
// may not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/expression.h>
#include <tavola/packed.h>

namespace tavola::expr {

namespace ast {
struct Condition;  // a parsed boolean expression
struct Update;
struct Projection;
}  // namespace ast

struct Bindings;  // placeholders of one expression resolved to names and values (bind.h)

// Which parameter a boolean expression came from: its name stands in the error messages.
enum class ConditionRole : std::uint8_t { Condition, Filter };

// A boolean expression. A default-constructed one always holds.
class Condition {
 public:
  Condition() = default;
  bool empty() const { return tree_ == nullptr; }
  // An absent item is the empty ItemView: every attribute is missing.
  bool holds(const ItemView& item) const;
  // The top-level attributes it reads, each once: for key checks and index projections.
  std::vector<std::string> attributes() const;
  // Those of them that a path reaches into (a.b, a[0]): keys must be scalars.
  std::vector<std::string> nested_attributes() const;

 private:
  friend class Compiler;
  std::shared_ptr<const ast::Condition> tree_;
  std::shared_ptr<const Bindings> bindings_;
};

// A list of document paths to return. A default-constructed one returns the whole item.
class Projection {
 public:
  Projection() = default;
  bool empty() const { return tree_ == nullptr; }
  PackedItem apply(const ItemView& item) const;
  std::vector<std::string> attributes() const;         // top-level, each once
  std::vector<std::string> nested_attributes() const;  // those a path reaches into

 private:
  friend class Compiler;
  friend class Update;
  std::shared_ptr<const ast::Projection> tree_;
  std::shared_ptr<const Bindings> bindings_;
};

// Whether an update starts from a stored item or from a key alone. AWS treats them alike but for one thing:
// REMOVE of a nested path is refused when the item lacks its first steps, and passes when there is no item.
enum class ItemState : std::uint8_t { Stored, New };

// SET, REMOVE, ADD and DELETE. A default-constructed one changes nothing.
class Update {
 public:
  Update() = default;
  bool empty() const { return tree_ == nullptr; }
  // The item after the update. `before` is the stored item, or only its key when there is none.
  // Fails when an operand is missing or has the wrong type, a path does not exist, or a number leaves its
  // range.
  Result<PackedItem> apply(const ItemView& before, ItemState state = ItemState::Stored) const;
  std::vector<std::string> attributes() const;         // top-level attributes it writes, each once
  std::vector<std::string> nested_attributes() const;  // those a path, written or read, reaches into
  // What it writes to whole attributes, where the expression alone tells the type: a given value, a sum, a
  // joined list. What is copied from the item is not among them.
  struct KnownType {
    std::string attribute;
    Type type;
    friend bool operator==(const KnownType&, const KnownType&) = default;
  };
  std::vector<KnownType> known_types() const;
  // Nothing but REMOVE and DELETE: when there is no item, such an update does not make one.
  bool only_removes() const;
  // The paths it writes, as a projection: UPDATED_OLD and UPDATED_NEW apply it to the old and the new item.
  Projection touched() const;

 private:
  friend class Compiler;
  std::shared_ptr<const ast::Update> tree_;
  std::shared_ptr<const Bindings> bindings_;
};

// A key condition, taken apart: the conjunction of its terms. Which terms make sense is for the caller, who
// knows the key schema.
enum class KeyOperator : std::uint8_t { Eq, Lt, Le, Gt, Ge, Between, BeginsWith };
struct KeyTerm {
  std::string attribute;
  KeyOperator op;
  ValueView first;
  ValueView second;  // the upper end of Between; otherwise the same as `first`
};
struct KeyCondition {
  std::vector<KeyTerm> terms;           // in the order written
  std::shared_ptr<const void> storage;  // keeps operands of the older parameters alive
};

// A key condition whose syntax, names and values are right, and whose terms nobody has looked at yet.
class KeyExpression {
 public:
  // Fails when it is no conjunction, or a term is none that a key can answer.
  Result<KeyCondition> terms() const;

 private:
  friend class Compiler;
  std::shared_ptr<const ast::Condition> tree_;
  std::shared_ptr<const Bindings> bindings_;
};

class Compiler {
 public:
  Compiler(const AttributeNames& names, const ItemView& values);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  Result<Condition> condition(std::string_view text, ConditionRole role = ConditionRole::Condition);
  Result<Projection> projection(std::string_view text);
  Result<Update> update(std::string_view text);
  // AWS looks at a Query's FilterExpression, its ProjectionExpression and at unused placeholders before it looks at
  // the terms of its key condition: to give its errors in that order, call this first and terms() last.
  Result<KeyExpression> key_expression(std::string_view text);
  Result<KeyCondition> key_condition(std::string_view text);  // both at once

  // The older parameters, compiled to the same trees.
  Result<Condition> expected(const ExpectedAttributes& expected, ConditionalOperator op);
  Result<Condition> filter(const LegacyConditions& conditions, ConditionalOperator op);  // Query/ScanFilter
  Result<KeyCondition> key_conditions(const LegacyConditions& conditions);
  Result<Projection> attributes_to_get(const std::vector<std::string>& names);
  Result<Update> attribute_updates(const AttributeUpdates& updates);

  // Fails when a key of ExpressionAttributeNames is no "#name" or stands for no name, or a key of
  // ExpressionAttributeValues is no ":value".
  Result<void> check_placeholders() const;
  // Fails when ExpressionAttributeNames or ExpressionAttributeValues has an entry no expression used.
  Result<void> check_all_used() const;

 private:
  struct State;
  // The object that `parts`, a tree and its bindings, make.
  template <class Compiled, class Parts>
  static Compiled assembled(Parts parts);
  std::unique_ptr<State> state_;
};

}  // namespace tavola::expr
