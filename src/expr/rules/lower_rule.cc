#include "expr/rules/lower_rule.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "expr/language/print.h"

namespace tavola::expr {

namespace {

using ast::Comparator;
using ast::Node;
using ast::Operand;

bool is_ordered(Type type) { return type == Type::String || type == Type::Number || type == Type::Binary; }

Operand arithmetic(Operand left, bool subtract, Operand right) {
  ast::Call call{subtract ? Function::Minus : Function::Plus, {}};
  call.operands.push_back(std::move(left));
  call.operands.push_back(std::move(right));
  return Operand{std::move(call)};
}

// The numbers of names and values so far.
struct Mark {
  std::size_t names;
  std::size_t values;
};

// Builds the lowered tree, which is then printed. Its names and values become placeholders at the end, so that parts
// dropped on the way leave none: DynamoDB refuses unused placeholders.
class RuleLowerer {
 public:
  RuleLowerer(const RuleValues& values, const IsField& is_field) : rule_(values), is_field_(is_field) {}

  Result<Node> condition(const Node& node) {
    if (!mentions_field(node, is_field_)) {
      TAVOLA_TRY(const bool holds, rule_.holds(node));
      return truth(holds);
    }
    return std::visit([this](const auto& form) { return lower(form); }, node.form);
  }

  Result<Operand> formula(const Operand& operand) {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr || !mentions(operand)) return set_operand(operand);
    if (call->function != Function::ListAppend) return sum(operand);
    ast::Call lists{Function::ListAppend, {}};
    for (const Operand& list : call->operands) {
      TAVOLA_TRY(Operand lowered, set_operand(list));
      if (!fits(lowered, [](Type type) { return type == Type::List; }))
        return fail(useless(list, " is not a list, as list_append requires"));
      lists.operands.push_back(std::move(lowered));
    }
    return Operand{std::move(lists)};
  }

  ast::Placeholders placeholders(ExpressionParts& parts) const {
    ast::Placeholders placeholders;
    for (const std::string& name : names_) placeholders.names.push_back(parts.name(name));
    for (const Value& value : values_) placeholders.values.push_back(parts.value(value));
    return placeholders;
  }

 private:
  Mark mark() const { return {names_.size(), values_.size()}; }

  bool mentions(const Operand& operand) const { return mentions_field(operand, is_field_); }

  // ---- Conditions ----

  Result<Node> lower(const ast::And& all) {
    TAVOLA_TRY(std::vector<Node> terms, lower_terms(all.terms));
    return Node{ast::And{std::move(terms)}};
  }
  Result<Node> lower(const ast::Or& any) {
    TAVOLA_TRY(std::vector<Node> terms, lower_terms(any.terms));
    return Node{ast::Or{std::move(terms)}};
  }
  Result<Node> lower(const ast::Not& negated) {
    TAVOLA_TRY(std::vector<Node> terms, lower_terms(negated.term));
    return Node{ast::Not{std::move(terms)}};
  }
  Result<std::vector<Node>> lower_terms(const std::vector<Node>& terms) {
    std::vector<Node> lowered;
    for (const Node& term : terms) {
      TAVOLA_TRY(Node one, condition(term));
      lowered.push_back(std::move(one));
    }
    return lowered;
  }

  // DynamoDB refuses values that can never be compared; a rule with such a value does not hold.
  Result<Node> lower(const ast::Comparison& comparison) {
    const bool equality =
        comparison.comparator == Comparator::Equal || comparison.comparator == Comparator::NotEqual;
    const Mark before = mark();
    TAVOLA_TRY(Operand left, compared(comparison.left));
    TAVOLA_TRY(Operand right, compared(comparison.right));
    if (!equality && (!fits(left, is_ordered) || !fits(right, is_ordered))) return never(before);
    return Node{ast::Comparison{comparison.comparator, std::move(left), std::move(right)}};
  }

  Result<Node> lower(const ast::Between& between) {
    const Mark before = mark();
    TAVOLA_TRY(Operand value, compared(between.value));
    TAVOLA_TRY(Operand low, compared(between.low));
    TAVOLA_TRY(Operand high, compared(between.high));
    const bool ordered = fits(value, is_ordered) && fits(low, is_ordered) && fits(high, is_ordered);
    if (!ordered || !in_order(low, high)) return never(before);
    return Node{ast::Between{std::move(value), std::move(low), std::move(high)}};
  }

  Result<Node> lower(const ast::In& in) {
    TAVOLA_TRY(Operand value, compared(in.value));
    ast::In lowered{std::move(value), {}};
    for (const Operand& candidate : in.candidates) {
      TAVOLA_TRY(Operand one, compared(candidate));
      lowered.candidates.push_back(std::move(one));
    }
    return Node{std::move(lowered)};
  }

  Result<Node> lower(const ast::Call& call) {
    const Mark before = mark();
    ast::Call lowered{call.function, {}};
    for (const Operand& operand : call.operands) {
      TAVOLA_TRY(Operand one, compared(operand));
      const auto text = [](Type type) { return type == Type::String || type == Type::Binary; };
      if (call.function == Function::BeginsWith && !fits(one, text)) return never(before);
      lowered.operands.push_back(std::move(one));
    }
    if (call.function == Function::AttributeType && !names_a_type(lowered.operands[1])) return never(before);
    return Node{std::move(lowered)};
  }

  Result<Operand> compared(const Operand& operand) {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr || !mentions(operand)) return leaf(operand);
    ast::Call size{Function::Size, {}};
    TAVOLA_TRY(Operand inner, leaf(call->operands[0]));
    size.operands.push_back(std::move(inner));
    return Operand{std::move(size)};
  }

  // DynamoDB has no boolean constants: two values are compared.
  Node truth(bool holds) { return {ast::Comparison{Comparator::Equal, value_slot(true), value_slot(holds)}}; }

  // Replaces everything lowered since `before`.
  Node never(Mark before) {
    names_.resize(before.names);
    values_.resize(before.values);
    return truth(false);
  }

  const Value* value_of(const Operand& lowered) const {
    const auto* slot = std::get_if<ast::ValueSlot>(&lowered.form);
    return slot == nullptr ? nullptr : &values_[slot->slot];
  }

  template <class Allowed>
  bool fits(const Operand& lowered, Allowed allowed) const {
    const auto* call = std::get_if<ast::Call>(&lowered.form);
    if (call != nullptr && call->function == Function::Size) return allowed(Type::Number);
    const Value* value = value_of(lowered);
    return value == nullptr || allowed(value->type());
  }

  bool in_order(const Operand& low, const Operand& high) const {
    const Value* from = value_of(low);
    const Value* to = value_of(high);
    if (from == nullptr || to == nullptr) return true;
    if (from->type() != to->type()) return false;
    if (from->is_number()) return from->number() <= to->number();
    return from->is_string() ? from->string() <= to->string() : from->binary() <= to->binary();
  }

  bool names_a_type(const Operand& lowered) const {
    const Value* value = value_of(lowered);
    if (value == nullptr || !value->is_string()) return false;
    for (int type = 1; type <= 10; ++type) {
      if (type_name(static_cast<Type>(type)) == value->string()) return true;
    }
    return false;
  }

  // ---- Values of SET ----

  Result<Operand> sum(const Operand& operand) {
    std::vector<Operand> added;
    std::vector<Operand> subtracted;
    std::optional<Number> rest;
    for (const Term& term : terms_of(operand, is_field_)) {
      if (mentions(*term.operand)) {
        TAVOLA_TRY(Operand field, set_operand(*term.operand));
        (term.negative ? subtracted : added).push_back(std::move(field));
        continue;
      }
      TAVOLA_TRY(const Value value, computed(*term.operand));
      if (!value.is_number()) return fail(useless(*term.operand, " is not a number, as + and - require"));
      TAVOLA_TRY(rest, rest.value_or(Number()) + (term.negative ? -value.number() : value.number()));
    }
    if (added.empty()) return arithmetic(value_slot(rest.value_or(Number())), true, std::move(subtracted[0]));
    if (!subtracted.empty()) return arithmetic(std::move(added[0]), true, std::move(subtracted[0]));
    if (added.size() == 2) return arithmetic(std::move(added[0]), false, std::move(added[1]));
    if (!rest) return std::move(added[0]);
    const bool subtract = rest->is_negative();
    return arithmetic(std::move(added[0]), subtract, value_slot(subtract ? -*rest : *rest));
  }

  Result<Operand> set_operand(const Operand& operand) {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr || !mentions(operand)) return leaf(operand);
    TAVOLA_TRY(std::optional<Operand> first, first_of(choices_of(*call)));
    TAVOLA_ASSERT(first.has_value());  // one of the choices is a field
    return *std::move(first);
  }

  // first(a, b, c) becomes if_not_exists(a, if_not_exists(b, c)). A computed choice is skipped if missing and ends the
  // list if present. Returns nullopt if no choice is left.
  Result<std::optional<Operand>> first_of(std::span<const Operand* const> choices) {
    for (; !choices.empty(); choices = choices.subspan(1)) {
      if (mentions(*choices.front())) break;
      TAVOLA_TRY(const MaybeValue value, rule_.value(*choices.front()));
      if (value) return value_slot(*value);
    }
    if (choices.empty()) return std::nullopt;
    TAVOLA_TRY(Operand field, leaf(*choices.front()));
    TAVOLA_TRY(std::optional<Operand> otherwise, first_of(choices.subspan(1)));
    if (!otherwise) return field;
    ast::Call call{Function::IfNotExists, {}};
    call.operands.push_back(std::move(field));
    call.operands.push_back(*std::move(otherwise));
    return Operand{std::move(call)};
  }

  // ---- Leaves ----

  Result<Operand> leaf(const Operand& operand) {
    if (mentions(operand)) return Operand{path(std::get<ast::Path>(operand.form))};
    TAVOLA_TRY(Value value, computed(operand));
    return value_slot(value);
  }

  Result<Value> computed(const Operand& operand) const {
    TAVOLA_TRY(MaybeValue value, rule_.value(operand));
    if (!value) return fail(useless(operand, " has no value"));
    return *std::move(value);
  }

  Error useless(const Operand& operand, std::string_view why) const {
    return Error::validation(std::string(rule_.written(operand)).append(why));
  }

  ast::Path path(const ast::Path& written) {
    ast::Path path = written;
    for (ast::PathElement& element : path.elements) {
      if (element.kind != ast::PathElement::Kind::Name) continue;
      element.kind = ast::PathElement::Kind::Placeholder;
      const auto found = std::ranges::find(names_, element.name);
      element.number = static_cast<std::uint32_t>(found - names_.begin());
      if (found == names_.end()) names_.push_back(element.name);
      element.name.clear();
    }
    return path;
  }

  Operand value_slot(const Value& value) {
    values_.push_back(value);
    return {ast::ValueSlot{static_cast<std::uint32_t>(values_.size() - 1)}};
  }

  const RuleValues& rule_;
  const IsField& is_field_;
  std::vector<std::string> names_;  // by slot
  std::vector<Value> values_;       // by slot
};

}  // namespace

Result<std::string> lower_rule(const Node& condition, const RuleValues& values, const IsField& is_field,
                               ExpressionParts& parts) {
  RuleLowerer lowering(values, is_field);
  TAVOLA_TRY(Node lowered, lowering.condition(condition));
  return print(ast::Condition{std::move(lowered), lowering.placeholders(parts)});
}

Result<std::string> lower_rule(const Operand& formula, const RuleValues& values, const IsField& is_field,
                               ExpressionParts& parts) {
  RuleLowerer lowering(values, is_field);
  TAVOLA_TRY(Operand lowered, lowering.formula(formula));
  return print(ast::Formula{std::move(lowered), lowering.placeholders(parts)});
}

}  // namespace tavola::expr
