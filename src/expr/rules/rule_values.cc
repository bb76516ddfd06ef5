#include "expr/rules/rule_values.h"

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <tavola/packed.h>

#include "expr/evaluate/condition_evaluator.h"
#include "expr/rules/rule_functions.h"

namespace tavola::expr {

namespace {

// The start of every failure message, added once.
constexpr std::string_view kWhere = "In ";

const Value* step(const Value* from, const ast::PathElement& element) {
  if (element.kind == ast::PathElement::Kind::Index) {
    if (from->type() != Type::List || element.number >= from->list().size()) return nullptr;
    return &from->list()[element.number];
  }
  if (from->type() != Type::Map) return nullptr;
  const auto found = from->map().find(element.name);
  return found == from->map().end() ? nullptr : &found->second;
}

const Value* find(const Item* item, std::string_view name) {
  if (item == nullptr) return nullptr;
  const auto found = item->find(name);
  return found == item->end() ? nullptr : &found->second;
}

// Computes operands for the evaluator of conditions. Owns the computed values. Keeps the first failure; a failed
// operand counts as missing until the failure is queried.
class ComputedOperands {
 public:
  explicit ComputedOperands(const RuleValues& values) : values_(values) {}

  void evaluate(const ast::Operand& operand, OperandValue& out) const {
    Result<MaybeValue> value = values_.value(operand);
    if (!value) return keep_failure(std::move(value).error());
    MaybeValue found = *std::move(value);
    if (!found) return;
    Result<PackedItem> packed = pack(Item{{"v", *std::move(found)}});
    if (!packed) return keep_failure(std::move(packed).error());
    out.set(packed_.emplace_back(*std::move(packed)).find("v"));
  }

  std::optional<Error> failure() && { return std::move(failure_); }

 private:
  void keep_failure(Error error) const {
    if (!failure_) failure_.emplace(std::move(error));
  }

  const RuleValues& values_;
  mutable std::deque<PackedItem> packed_;
  mutable std::optional<Error> failure_;
};

}  // namespace

const Item* other_named(std::string_view name, const RuleInputs& inputs) {
  if (inputs.others == nullptr) return nullptr;
  const auto found = inputs.others->find(name);
  return found == inputs.others->end() ? nullptr : &found->second;
}

Result<bool> RuleValues::holds(const ast::Node& node) const {
  ComputedOperands operands(*this);
  const bool result = ConditionEvaluator(operands).holds(node);
  if (std::optional<Error> failure = std::move(operands).failure()) return fail(*std::move(failure));
  return result;
}

Result<MaybeValue> RuleValues::value(const ast::Operand& operand) const {
  if (const auto* path = std::get_if<ast::Path>(&operand.form)) return value(*path);
  if (const auto* slot = std::get_if<ast::ValueSlot>(&operand.form)) return value(*slot);
  const auto& call = std::get<ast::Call>(operand.form);
  Result<MaybeValue> result = value(call);
  if (result || result.error().message().starts_with(kWhere)) return result;
  return fail(Error::validation(
      std::string(kWhere).append(written(operand)).append(": ").append(result.error().message())));
}

// product.name: the `name` of `product`; otherwise a field, and a part of it.
MaybeValue RuleValues::value(const ast::Path& path) const {
  const std::string& first = path.elements.front().name;
  std::span<const ast::PathElement> rest(path.elements);
  rest = rest.subspan(1);
  const Value* at = nullptr;
  if (const Item* other = other_named(first, inputs_)) {
    // An item that was read but not found is known by its name, and empty.
    if (rest.empty()) return other->empty() ? MaybeValue() : MaybeValue(Value(*other));
    if (rest.front().kind != ast::PathElement::Kind::Name) return std::nullopt;
    at = find(other, rest.front().name);
    rest = rest.subspan(1);
  } else {
    at = find(inputs_.fields, first);
  }
  for (; at != nullptr && !rest.empty(); rest = rest.subspan(1)) at = step(at, rest.front());
  return at == nullptr ? MaybeValue() : *at;
}

MaybeValue RuleValues::value(ast::ValueSlot slot) const {
  if (const auto& literal = placeholders_.literals[slot.slot]) return literal;
  const Value* found = find(inputs_.parameters, std::string_view(placeholders_.values[slot.slot]).substr(1));
  return found == nullptr ? MaybeValue() : *found;
}

Result<MaybeValue> RuleValues::value(const ast::Call& call) const {
  if (call.function == Function::First || call.function == Function::IfNotExists) {
    for (const ast::Operand& operand : call.operands) {
      TAVOLA_TRY(MaybeValue found, value(operand));
      if (found) return found;
    }
    return MaybeValue();
  }
  std::vector<Value> operands;
  std::size_t missing = 0;
  for (const ast::Operand& operand : call.operands) {
    TAVOLA_TRY(MaybeValue found, value(operand));
    const bool in_join = call.function == Function::Join && &operand != &call.operands.front();
    if (!found && !in_join) return MaybeValue();
    if (!found) ++missing;
    operands.push_back(found ? *std::move(found) : Value(""));
  }
  if (call.function == Function::Join && missing + 1 == operands.size()) return MaybeValue();
  return apply_function(call.function, operands, inputs_);
}

}  // namespace tavola::expr
