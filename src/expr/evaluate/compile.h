// The entry point of the room: compiles texts (or the legacy parameters) to objects that are applied to items.
//
//   Compiler compiler(request.names, request.values.view());
//   TAVOLA_TRY(Condition condition, compiler.condition(request.condition_expression));
//   TAVOLA_TRY(Update update, compiler.update(request.update_expression));
//   TAVOLA_CHECK(compiler.check_all_used());        // names and values that no expression mentioned
//   if (!condition.holds(item)) ...
//
// Parsing is cached by text (cache.h); binding names and values to the tree is per request. Compiled objects borrow
// `names` and `values` of the Compiler, which must outlive them. All errors are ValidationException in AWS's words.
// Thread safety: a compiled object is immutable and may be used from many threads; a Compiler may not.
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

// The parameter that a boolean expression came from: the error messages name it.
enum class ConditionRole : std::uint8_t { Condition, Filter };

// A boolean expression. A default-constructed one always holds.
class Condition {
 public:
  Condition() = default;
  bool empty() const { return tree_ == nullptr; }
  // An absent item is the empty ItemView: every attribute is missing.
  bool holds(const ItemView& item) const;
  // Returns the top-level attributes it reads, each once: for key checks and index projections.
  std::vector<std::string> attributes() const;
  // Returns those of them that a path reaches into (a.b, a[0]): keys must be scalars.
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

// Whether an update starts from a stored item or from a key alone. AWS treats both alike with one exception: REMOVE of
// a nested path is refused if the item lacks its first steps, and accepted if there is no item.
enum class ItemState : std::uint8_t { Stored, New };

// SET, REMOVE, ADD and DELETE. A default-constructed one changes nothing.
class Update {
 public:
  Update() = default;
  bool empty() const { return tree_ == nullptr; }
  // Returns the item after the update. `before` is the stored item, or only its key if there is none. Fails if an
  // operand is missing or has the wrong type, a path does not exist, or a number leaves its range.
  Result<PackedItem> apply(const ItemView& before, ItemState state = ItemState::Stored) const;
  std::vector<std::string> attributes() const;  // top-level attributes it writes, each once
  // Returns whether SET or ADD gives the attribute, as a whole, a value other than if_not_exists() of itself.
  bool assigns(std::string_view attribute) const;
  std::vector<std::string> nested_attributes() const;  // those a path, written or read, reaches into
  // The types that it writes to whole attributes, where the expression alone determines them: a given value, a sum, a
  // joined list. Values copied from the item are not included.
  struct KnownType {
    std::string attribute;
    Type type;
    friend bool operator==(const KnownType&, const KnownType&) = default;
  };
  std::vector<KnownType> known_types() const;
  // Returns whether it consists of REMOVE and DELETE only: such an update does not create a missing item.
  bool only_removes() const;
  // Returns the paths it writes, as a projection: UPDATED_OLD and UPDATED_NEW apply it to the old and the new item.
  Projection touched() const;

 private:
  friend class Compiler;
  std::shared_ptr<const ast::Update> tree_;
  std::shared_ptr<const Bindings> bindings_;
};

// A key condition, split into terms that must all hold. The caller, who knows the key schema, decides which terms are
// valid.
enum class KeyOperator : std::uint8_t { Eq, Lt, Le, Gt, Ge, Between, BeginsWith };
struct KeyTerm {
  std::string attribute;
  KeyOperator op;
  ValueView first;
  ValueView second;  // the upper end of Between; otherwise equal to `first`
};
struct KeyCondition {
  std::vector<KeyTerm> terms;           // in the order written
  std::shared_ptr<const void> storage;  // keeps operands of the legacy parameters alive
};

// A key condition whose syntax, names and values are valid, and whose terms are not checked yet.
class KeyExpression {
 public:
  // Fails if it is not a conjunction, or a term is not a key condition.
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
  // AWS checks a Query's FilterExpression, its ProjectionExpression and unused placeholders before the terms of its key
  // condition: to report errors in that order, call this first and terms() last.
  Result<KeyExpression> key_expression(std::string_view text);
  Result<KeyCondition> key_condition(std::string_view text);  // both at once

  // The legacy parameters, compiled to the same trees.
  Result<Condition> expected(const ExpectedAttributes& expected, ConditionalOperator op);
  Result<Condition> filter(const LegacyConditions& conditions, ConditionalOperator op);  // Query/ScanFilter
  Result<KeyCondition> key_conditions(const LegacyConditions& conditions);
  Result<Projection> attributes_to_get(const std::vector<std::string>& names);
  Result<Update> attribute_updates(const AttributeUpdates& updates);

  // Fails if a key of ExpressionAttributeNames is not a "#name" or stands for no name, or a key of
  // ExpressionAttributeValues is not a ":value".
  Result<void> check_placeholders() const;
  // Fails if ExpressionAttributeNames or ExpressionAttributeValues has an entry that no expression used.
  Result<void> check_all_used() const;

 private:
  struct State;
  // Makes the object of `parts`, a tree and its bindings.
  template <class Compiled, class Parts>
  static Compiled assembled(Parts parts);
  std::unique_ptr<State> state_;
};

}  // namespace tavola::expr
