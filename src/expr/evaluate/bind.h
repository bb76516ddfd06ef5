// Puts a request's names and values into a parsed tree, and makes the checks that need them, in AWS's order.
//
// A condition is checked comparison by comparison, from left to right; within one: undefined names and values
// as they are written, numbers of operands, operands that must differ, types. An update is checked as a
// whole: undefined names, undefined values, overlapping paths, conflicting paths, operands of ADD and DELETE,
// functions.
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

// The placeholders of one expression resolved, by slot. Borrows names from the tree and the request, values
// from the request or from own_values.
struct Bindings {
  std::vector<std::string_view> names;
  std::vector<ValueView> values;
  // Projection: its paths, ascending. Update: the paths of its actions, in their order.
  std::vector<BoundPath> paths;
  // Update: the actions' numbers, ordered by path.
  std::vector<std::uint32_t> by_path;
  // Operands of the older parameters, which are not in ExpressionAttributeValues.
  PackedItem own_values;
};

// One request's ExpressionAttributeNames and ExpressionAttributeValues, and which of them expressions used.
// Borrows both, and the placeholders passed to resolve().
class Scope {
 public:
  Scope(const AttributeNames& names, const ItemView& values) : names_(names), values_(values) {}

  // Undefined placeholders get an empty view.
  Bindings resolve(const ast::Placeholders& placeholders);

  // Fails when an entry was used by no expression; names come before values.
  Result<void> check_all_used() const;
  // Fails when a key is no "#name" or ":value", or stands for no name.
  Result<void> check_keys() const;

 private:
  const AttributeNames& names_;
  ItemView values_;
  std::vector<std::string_view> used_names_;
  std::vector<std::string_view> used_values_;
};

// Each checks `tree` with `bindings`; `kind` is for the messages.
Result<void> check_condition(const ast::Condition& tree, const Bindings& bindings, ExpressionKind kind);
// These also fill `bindings.paths`.
Result<void> bind_projection(const ast::Projection& tree, Bindings& bindings);
Result<void> bind_update(const ast::Update& tree, Bindings& bindings);

// Shared by the checks above.

// The first undefined placeholder of an operand, as the detail of a message.
std::optional<std::string> undefined_placeholder(const ast::Operand& operand,
                                                 const ast::Placeholders& placeholders,
                                                 const Bindings& bindings);
std::optional<std::string> undefined_name(const ast::Path& path, const ast::Placeholders& placeholders,
                                          const Bindings& bindings);
// More than 32 elements, as the detail of a message.
std::optional<std::string> too_deep(const ast::Path& path);
// Fails with the first clash among `paths`, which are in the order of the text; overlaps come before
// conflicts. Compares every pair: call it when `clashes` found something. Paths that clash have neighbours
// that clash once the paths are sorted, so that looking at neighbours is enough to know.
inline bool clashes(std::span<const BoundElement> a, std::span<const BoundElement> b) {
  return clash(a, b) != PathClash::None;
}
Result<void> check_clashes(const std::vector<BoundPath>& paths, ExpressionKind kind);

}  // namespace tavola::expr
