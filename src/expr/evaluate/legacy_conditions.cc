// Expected, QueryFilter, ScanFilter and KeyConditions.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "expr/evaluate/legacy.h"
#include "expr/language/messages.h"

namespace tavola::expr {

namespace {

using Operands = std::span<const Value>;

struct ArgumentCount {
  std::size_t least;
  std::size_t most;
};

ArgumentCount argument_count(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::Null:
    case ComparisonOperator::NotNull:
      return {0, 0};
    case ComparisonOperator::Between:
      return {2, 2};
    case ComparisonOperator::In:
      return {1, std::numeric_limits<std::size_t>::max()};
    default:
      return {1, 1};
  }
}

bool accepts(ComparisonOperator op, Type type) {
  const bool ordered = type == Type::String || type == Type::Number || type == Type::Binary;
  switch (op) {
    case ComparisonOperator::Le:
    case ComparisonOperator::Lt:
    case ComparisonOperator::Ge:
    case ComparisonOperator::Gt:
    case ComparisonOperator::In:
    case ComparisonOperator::Between:
      return ordered;
    case ComparisonOperator::BeginsWith:
      return type == Type::String || type == Type::Binary;
    case ComparisonOperator::Contains:
    case ComparisonOperator::NotContains:
      return ordered || type == Type::Bool || type == Type::Null;
    default:
      return true;
  }
}

// Requires two operands of the same, ordered type.
bool reversed(Operands bounds) {
  switch (bounds[0].type()) {
    case Type::Number:
      return bounds[0].number() > bounds[1].number();
    case Type::String:
      return bounds[0].string() > bounds[1].string();
    default:
      return bounds[0].binary() > bounds[1].binary();
  }
}

Result<void> check_operands(ComparisonOperator op, Operands operands) {
  const auto [least, most] = argument_count(op);
  if (operands.size() < least || operands.size() > most) return fail(messages::legacy_argument_count(op));
  if (operands.empty()) return {};
  const Type type = operands.front().type();
  if (!std::ranges::all_of(operands, [type](const Value& value) { return value.type() == type; })) {
    return fail(messages::legacy_mixed_types());
  }
  if (!accepts(op, type)) return fail(messages::legacy_operand_type(op, type));
  if (op == ComparisonOperator::Between && reversed(operands))
    return fail(messages::legacy_between_reversed());
  return {};
}

std::optional<ast::Comparator> comparator(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::Eq:
      return ast::Comparator::Equal;
    case ComparisonOperator::Ne:
      return ast::Comparator::NotEqual;
    case ComparisonOperator::Le:
      return ast::Comparator::LessEqual;
    case ComparisonOperator::Lt:
      return ast::Comparator::Less;
    case ComparisonOperator::Ge:
      return ast::Comparator::GreaterEqual;
    case ComparisonOperator::Gt:
      return ast::Comparator::Greater;
    default:
      return std::nullopt;
  }
}

ast::Node call(Function function, ast::Operand first, std::optional<ast::Operand> second = std::nullopt) {
  ast::Call call{function, {}};
  call.operands.push_back(std::move(first));
  if (second) call.operands.push_back(*std::move(second));
  return ast::Node{std::move(call)};
}

// NOT_CONTAINS is false, like CONTAINS, if the attribute is missing.
ast::Node not_contains(const ast::Operand& attribute, ast::Operand part) {
  ast::Not negated;
  negated.term.push_back(call(Function::Contains, attribute, std::move(part)));
  ast::And both;
  both.terms.push_back(call(Function::AttributeExists, attribute));
  both.terms.push_back(ast::Node{std::move(negated)});
  return ast::Node{std::move(both)};
}

// Requires operands that passed check_operands.
ast::Node node(std::string_view attribute, ComparisonOperator op, Operands operands,
               OperandCollector& collector) {
  ast::Operand path{attribute_path(attribute)};
  if (const auto simple = comparator(op)) {
    return {ast::Comparison{*simple, std::move(path), collector.add(operands[0])}};
  }
  switch (op) {
    case ComparisonOperator::Null:
      return call(Function::AttributeNotExists, std::move(path));
    case ComparisonOperator::NotNull:
      return call(Function::AttributeExists, std::move(path));
    case ComparisonOperator::Contains:
      return call(Function::Contains, std::move(path), collector.add(operands[0]));
    case ComparisonOperator::NotContains:
      return not_contains(path, collector.add(operands[0]));
    case ComparisonOperator::BeginsWith:
      return call(Function::BeginsWith, std::move(path), collector.add(operands[0]));
    case ComparisonOperator::Between: {
      ast::Operand low = collector.add(operands[0]);
      return {ast::Between{std::move(path), std::move(low), collector.add(operands[1])}};
    }
    default: {
      ast::In in{std::move(path), {}};
      for (const Value& candidate : operands) in.candidates.push_back(collector.add(candidate));
      return {std::move(in)};
    }
  }
}

Result<Translated<ast::Condition>> joined(std::vector<ast::Node> nodes, ConditionalOperator op,
                                          OperandCollector collector) {
  if (nodes.empty()) return Translated<ast::Condition>{};
  auto tree = std::make_shared<ast::Condition>();
  if (nodes.size() == 1) {
    tree->root = std::move(nodes.front());
  } else if (op == ConditionalOperator::And) {
    tree->root.form = ast::And{std::move(nodes)};
  } else {
    tree->root.form = ast::Or{std::move(nodes)};
  }
  TAVOLA_TRY(std::shared_ptr<Bindings> bindings, std::move(collector).bind());
  return Translated<ast::Condition>{std::move(tree), std::move(bindings)};
}

// Refuses the members of an Expected entry that exclude or require each other.
Result<void> check_expected(std::string_view name, const ExpectedAttribute& expected) {
  if (expected.operands && expected.value) return fail(messages::legacy_value_and_list(name));
  if (expected.op) {
    if (expected.exists) return fail(messages::legacy_exists_and_operator(name));
    const bool unary =
        *expected.op == ComparisonOperator::Null || *expected.op == ComparisonOperator::NotNull;
    if (!unary && !expected.operands && !expected.value) {
      return fail(messages::legacy_operator_without_value(*expected.op, name));
    }
    return {};
  }
  if (expected.operands) return fail(messages::legacy_list_without_operator(name));
  const bool must_exist = expected.exists.value_or(true);
  if (must_exist && !expected.value) {
    return fail(messages::legacy_exists_without_value(expected.exists ? "true" : "null", name));
  }
  if (!must_exist && expected.value) return fail(messages::legacy_not_exists_with_value(name));
  return {};
}

}  // namespace

std::optional<KeyOperator> key_operator(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::Eq:
      return KeyOperator::Eq;
    case ComparisonOperator::Lt:
      return KeyOperator::Lt;
    case ComparisonOperator::Le:
      return KeyOperator::Le;
    case ComparisonOperator::Gt:
      return KeyOperator::Gt;
    case ComparisonOperator::Ge:
      return KeyOperator::Ge;
    case ComparisonOperator::Between:
      return KeyOperator::Between;
    case ComparisonOperator::BeginsWith:
      return KeyOperator::BeginsWith;
    default:
      return std::nullopt;
  }
}

Result<Translated<ast::Condition>> translate(const ExpectedAttributes& expected, ConditionalOperator op) {
  OperandCollector collector;
  std::vector<ast::Node> nodes;
  for (const auto& [name, entry] : expected) {
    TAVOLA_CHECK(check_expected(name, entry));
    Operands operands;
    if (entry.operands) operands = *entry.operands;
    if (entry.value) operands = Operands(&*entry.value, 1);
    const ComparisonOperator meant =
        entry.exists == false ? ComparisonOperator::Null : ComparisonOperator::Eq;
    const ComparisonOperator actual = entry.op.value_or(meant);
    TAVOLA_CHECK(check_operands(actual, operands));
    nodes.push_back(node(name, actual, operands, collector));
  }
  return joined(std::move(nodes), op, std::move(collector));
}

Result<Translated<ast::Condition>> translate(const LegacyConditions& conditions, ConditionalOperator op) {
  OperandCollector collector;
  std::vector<ast::Node> nodes;
  for (const auto& [name, condition] : conditions) {
    TAVOLA_CHECK(check_operands(condition.op, condition.operands));
    nodes.push_back(node(name, condition.op, condition.operands, collector));
  }
  return joined(std::move(nodes), op, std::move(collector));
}

Result<KeyCondition> translate_key_conditions(const LegacyConditions& conditions) {
  OperandCollector collector;
  for (const auto& [name, condition] : conditions) {
    TAVOLA_CHECK(check_operands(condition.op, condition.operands));
    for (const Value& operand : condition.operands) collector.add(operand);
  }
  TAVOLA_TRY(std::shared_ptr<Bindings> bindings, std::move(collector).bind());
  KeyCondition result;
  auto next = bindings->values.begin();
  for (const auto& [name, condition] : conditions) {
    const std::optional<KeyOperator> op = key_operator(condition.op);
    if (!op) return fail(messages::legacy_not_indexable());
    const ValueView first = *next++;
    result.terms.push_back({name, *op, first, *op == KeyOperator::Between ? *next++ : first});
  }
  result.storage = std::move(bindings);
  return result;
}

}  // namespace tavola::expr
