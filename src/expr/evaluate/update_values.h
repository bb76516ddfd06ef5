// The values that the actions of an update compute, before anything is written.
#pragma once

#include <deque>
#include <optional>

#include <tavola/error.h>
#include <tavola/packed.h>

#include "expr/evaluate/bind.h"
#include "expr/language/ast.h"

namespace tavola::expr {

// The change at the end of one path: a new value, or none.
struct Edit {
  const BoundPath* path;
  std::optional<ValueView> value;
};

// Computes edits against one item. Owns the computed values: edits are valid as long as it lives.
class UpdateValues {
 public:
  UpdateValues(const ast::Update& tree, const Bindings& bindings, const ItemView& before)
      : tree_(tree), bindings_(bindings), before_(before) {}

  // Returns the edit of action number `index`. Fails on missing attributes, wrong types and numbers out of range.
  Result<Edit> edit(std::size_t index);

 private:
  Result<ValueView> evaluate(const ast::Operand& operand);
  Result<ValueView> evaluate(const ast::Call& call);
  Result<ValueView> add_numbers(ValueView a, ValueView b, Function function);
  Result<ValueView> append_lists(ValueView a, ValueView b);
  Result<ValueView> add(ValueView current, ValueView operand);
  Result<std::optional<ValueView>> remove_elements(ValueView current, ValueView operand);
  ValueView keep_number(const Number& number);
  ValueView keep(ItemWriter&& writer);  // an item with one attribute
  Error wrong_type() const;

  const ast::Update& tree_;
  const Bindings& bindings_;
  const ItemView& before_;
  std::deque<std::string> numbers_;
  std::deque<PackedItem> values_;
};

}  // namespace tavola::expr
