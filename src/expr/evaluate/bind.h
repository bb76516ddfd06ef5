// Binds a request's names and values to a parsed tree, and makes the checks that need them, in AWS's order.
//
// A condition is checked comparison by comparison, from left to right; within one: undefined names and values in the
// order of the text, number of operands, operands that must differ, types. An update is checked as a whole: undefined
// names, undefined values, overlapping paths, conflicting paths, operands of ADD and DELETE, functions.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/expression.h>
#include <tavola/packed.h>

#include "expr/language/ast.h"
#include "expr/language/messages.h"
#include "expr/language/path.h"

namespace tavola::expr {

// The resolved placeholders of one expression, by slot. Borrows names from the tree and the request, values from the
// request or from own_values.
struct Bindings {
  std::vector<std::string_view> names;
  std::vector<ValueView> values;
  // Projection: its paths, ascending. Update: the paths of its actions, in the order of the actions.
  std::vector<BoundPath> paths;
  // Update: the numbers of the actions, ordered by path.
  std::vector<std::uint32_t> by_path;
  // Operands of the legacy parameters, which are not in ExpressionAttributeValues.
  PackedItem own_values;
};

// One request's ExpressionAttributeNames and ExpressionAttributeValues, and which of them expressions used.
// Borrows both, and the placeholders passed to resolve().
class Scope {
 public:
  Scope(const AttributeNames& names, const ItemView& values) : names_(names), values_(values) {}

  // Returns an empty view for an undefined placeholder.
  Bindings resolve(const ast::Placeholders& placeholders);

  // Fails if no expression used an entry; names come before values.
  Result<void> check_all_used() const;
  // Fails if a key is not a "#name" or ":value", or stands for no name.
  Result<void> check_keys() const;

 private:
  const AttributeNames& names_;
  ItemView values_;
  std::vector<std::string_view> used_names_;
  std::vector<std::string_view> used_values_;
};

// These check `tree` with `bindings`; `kind` is for the messages.
Result<void> check_condition(const ast::Condition& tree, const Bindings& bindings, ExpressionKind kind);
// These also fill `bindings.paths`.
Result<void> bind_projection(const ast::Projection& tree, Bindings& bindings);
Result<void> bind_update(const ast::Update& tree, Bindings& bindings);

// Shared by the checks above.

// Returns the first undefined placeholder of an operand, as the detail of a message.
std::optional<std::string> undefined_placeholder(const ast::Operand& operand,
                                                 const ast::Placeholders& placeholders,
                                                 const Bindings& bindings);
std::optional<std::string> undefined_name(const ast::Path& path, const ast::Placeholders& placeholders,
                                          const Bindings& bindings);
// Reports more than 32 elements, as the detail of a message.
std::optional<std::string> too_deep(const ast::Path& path);
// Fails with the first clash among `paths`, which are in the order of the text; overlaps come before conflicts.
// Compares every pair, so call it only if `clashes` found something: if any paths clash, two neighbours of the sorted
// paths do.
inline bool clashes(std::span<const BoundElement> a, std::span<const BoundElement> b) {
  return clash(a, b) != PathClash::None;
}
Result<void> check_clashes(const std::vector<BoundPath>& paths, ExpressionKind kind);

}  // namespace tavola::expr
