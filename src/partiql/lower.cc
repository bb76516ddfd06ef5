#include "partiql/lower.h"

#include <algorithm>
#include <array>

#include "base/overloaded.h"
#include "expr/language/functions.h"
#include "expr/language/messages.h"
#include "partiql/messages.h"
#include "partiql/words.h"
#include "value/limits.h"

namespace tavola::partiql {
namespace {

using ast::Node;
using ast::Operand;
using expr::Function;

constexpr std::string_view kNoBoolean = "WHERE clause must contain an expression that resolves to a boolean";
constexpr std::string_view kNoTerm = "The arguments to AND/OR must be Expressions";
constexpr std::string_view kNothingToNegate = "The argument to NOT must be a Type or Expression";

// Finds a function of conditions by its name, which PartiQL accepts in any case.
std::optional<Function> condition_function(std::string_view name) {
  const std::optional<Function> found = expr::find_function(name);
  if (!found) return std::nullopt;
  const expr::FunctionPlace place = expr::info(*found).place;
  const bool fits = place == expr::FunctionPlace::Condition || place == expr::FunctionPlace::Operand;
  return fits ? found : std::nullopt;
}

bool is_arithmetic(Operator op) { return op >= Operator::Plus; }

// Returns whether its form makes it true or false.
bool is_condition(const Expr& expr) {
  if (std::holds_alternative<TypeTest>(expr.form)) return true;
  if (const auto* operation = std::get_if<Operation>(&expr.form)) return !is_arithmetic(operation->op);
  const auto* call = std::get_if<Call>(&expr.form);
  return call != nullptr && condition_function(call->function).value_or(Function::Size) != Function::Size;
}

Error unknown_function(const Call& call, Place place) {
  return messages::refused("Unrecognized function: " + call.function, place);
}

Error unsupported_in_condition(Operator op) {
  return messages::refused("Unsupported operator in Condition Expression. Operator: " +
                           std::string(to_text(op)));
}

std::optional<ast::Comparator> comparator(Operator op) {
  switch (op) {
    case Operator::Equal:
      return ast::Comparator::Equal;
    case Operator::NotEqual:
      return ast::Comparator::NotEqual;
    case Operator::Less:
      return ast::Comparator::Less;
    case Operator::LessEqual:
      return ast::Comparator::LessEqual;
    case Operator::Greater:
      return ast::Comparator::Greater;
    case Operator::GreaterEqual:
      return ast::Comparator::GreaterEqual;
    default:
      return std::nullopt;
  }
}

Node both(Node one, Node other) {
  std::vector<Node> terms;
  terms.push_back(std::move(one));
  terms.push_back(std::move(other));
  return all_of(std::move(terms));
}

Node either(Node one, Node other) {
  std::vector<Node> terms;
  terms.push_back(std::move(one));
  terms.push_back(std::move(other));
  return any_of(std::move(terms));
}

std::size_t operators_in(const Operand& operand) {
  const auto* call = std::get_if<ast::Call>(&operand.form);
  if (call == nullptr) return 0;
  std::size_t count = 1;
  for (const Operand& argument : call->operands) count += operators_in(argument);
  return count;
}

// Counts operators as the engine does.
std::size_t operators_in(const Node& node) {
  const auto all = [](const auto& range) {
    std::size_t count = 0;
    for (const auto& element : range) count += operators_in(element);
    return count;
  };
  return std::visit(
      Overloaded{
          [](const ast::Comparison& x) { return 1 + operators_in(x.left) + operators_in(x.right); },
          [](const ast::Between& x) {
            return 1 + operators_in(x.value) + operators_in(x.low) + operators_in(x.high);
          },
          [&](const ast::In& x) { return 1 + operators_in(x.value) + all(x.candidates); },
          [&](const ast::Call& x) { return 1 + all(x.operands); },
          [&](const ast::And& x) { return x.terms.size() - 1 + all(x.terms); },
          [&](const ast::Or& x) { return x.terms.size() - 1 + all(x.terms); },
          [&](const ast::Not& x) { return 1 + all(x.term); },
      },
      node.form);
}

// Returns DynamoDB's name of a type after IS (Developer Guide, "IS"); empty if it has none.
std::string_view type_tested(std::string_view type) {
  struct Name {
    std::string_view partiql;
    std::string_view dynamodb;
  };
  static constexpr std::array<Name, 9> kNames{{{"null", "NULL"},
                                               {"bool", "BOOL"},
                                               {"boolean", "BOOL"},
                                               {"blob", "B"},
                                               {"string", "S"},
                                               {"numeric", "N"},
                                               {"struct", "M"},
                                               {"tuple", "M"},
                                               {"list", "L"}}};
  const auto* found = std::ranges::find(kNames, type, &Name::partiql);
  return found == kNames.end() ? std::string_view() : found->dynamodb;
}

}  // namespace

// ---- Conditions ----

Result<Node> StatementLowerer::condition(const Expr& where) { return lower(where, kNoBoolean); }

// `otherwise` is the error if it is neither true nor false.
Result<Node> StatementLowerer::lower(const Expr& expr, std::string_view otherwise) {
  if (const auto* test = std::get_if<TypeTest>(&expr.form)) return type_test(*test);
  if (const auto* one = std::get_if<Operation>(&expr.form)) return operation(*one, expr.place);
  if (const auto* one = std::get_if<Call>(&expr.form)) {
    if (one->select != nullptr) return fail(messages::exists_outside_transaction());
    return function(*one, expr.place);
  }
  return fail(messages::refused(std::string(otherwise)));
}

Result<std::vector<Node>> StatementLowerer::terms(const Operation& operation, std::string_view otherwise) {
  std::vector<Node> lowered;
  for (const Expr& term : operation.operands) {
    TAVOLA_TRY(Node node, lower(term, otherwise));
    lowered.push_back(std::move(node));
  }
  return lowered;
}

Result<Node> StatementLowerer::operation(const Operation& operation, Place place) {
  switch (operation.op) {
    case Operator::And: {
      TAVOLA_TRY(std::vector<Node> lowered, terms(operation, kNoTerm));
      return all_of(std::move(lowered));
    }
    case Operator::Or: {
      TAVOLA_TRY(std::vector<Node> lowered, terms(operation, kNoTerm));
      return any_of(std::move(lowered));
    }
    case Operator::Not: {
      TAVOLA_TRY(std::vector<Node> lowered, terms(operation, kNothingToNegate));
      return none_of(std::move(lowered.front()));
    }
    case Operator::Between: {
      TAVOLA_TRY(Operand value, operand(operation.operands[0]));
      TAVOLA_TRY(Operand low, operand(operation.operands[1]));
      TAVOLA_TRY(Operand high, operand(operation.operands[2]));
      return Node{ast::Between{std::move(value), std::move(low), std::move(high)}};
    }
    case Operator::In:
      return in(operation);
    default:
      break;
  }
  static_cast<void>(place);
  const std::optional<ast::Comparator> op = comparator(operation.op);
  if (!op) return fail(unsupported_in_condition(operation.op));
  if (std::ranges::none_of(operation.operands, is_condition)) return comparison(*op, operation);
  TAVOLA_TRY(Node made, compared_condition(operation));
  // Each operand occurs twice in it: without a limit, a = b = c = … would double with every term.
  const std::size_t operators = operators_in(made);
  if (operators <= limits::kExpressionOperatorsMax) return made;
  return fail(messages::refused(expr::messages::too_many_operators(operators)));
}

Result<Node> StatementLowerer::comparison(ast::Comparator op, const Operation& operation) {
  TAVOLA_TRY(Operand left, operand(operation.operands[0]));
  TAVOLA_TRY(Operand right, operand(operation.operands[1]));
  return Node{ast::Comparison{op, std::move(left), std::move(right)}};
}

// attribute_exists(a) = true: the engine's conditions cannot be operands, so it is expressed with AND, OR and NOT.
Result<Node> StatementLowerer::compared_condition(const Operation& operation) {
  const bool equal = operation.op == Operator::Equal;
  if (!equal && operation.op != Operator::NotEqual) {
    return fail(
        messages::refused(expr::messages::operand_type(to_text(operation.op), type_name(Type::Bool))));
  }
  const bool first = is_condition(operation.operands[0]);
  TAVOLA_TRY(Node one, lower(operation.operands[first ? 0 : 1], kNoBoolean));
  const Expr& other = operation.operands[first ? 1 : 0];
  const auto finished = [&](Node same) { return equal ? std::move(same) : none_of(std::move(same)); };
  if (is_condition(other)) {
    TAVOLA_TRY(Node two, lower(other, kNoBoolean));
    return finished(either(both(one, two), both(none_of(one), none_of(two))));
  }
  if (is_value(other)) {
    TAVOLA_TRY(const Value value, value_of(other, parameters_));
    if (value.type() != Type::Bool) return finished(both(one, none_of(one)));  // equal to nothing else
    return finished(value.boolean() ? std::move(one) : none_of(std::move(one)));
  }
  TAVOLA_TRY(Operand path, operand(other));
  const auto is = [&](bool value) {
    return Node{ast::Comparison{ast::Comparator::Equal, path, slots_.value(value)}};
  };
  return finished(either(both(one, is(true)), both(none_of(one), is(false))));
}

Result<Node> StatementLowerer::in(const Operation& operation) {
  const auto* list = std::get_if<Sequence>(&operation.operands[1].form);
  // IN (a): PartiQL reads a single value in parentheses as the value.
  const bool is_single = list == nullptr && is_value(operation.operands[1]) &&
                         !std::holds_alternative<Parameter>(operation.operands[1].form);
  const bool is_fine = is_single || (list != nullptr && !list->elements.empty());
  if (!is_fine || is_value(operation.operands[0]) || is_condition(operation.operands[0])) {
    return fail(
        messages::refused("IN operator must have a left hand argument of type Variable Reference and right "
                          "hand argument of type Seq with "
                          "at least one member"));
  }
  TAVOLA_TRY(Operand value, operand(operation.operands[0]));
  ast::In made{std::move(value), {}};
  const std::span<const Expr> candidates =
      is_single ? std::span<const Expr>(&operation.operands[1], 1) : std::span<const Expr>(list->elements);
  for (const Expr& candidate : candidates) {
    TAVOLA_TRY(Operand lowered, operand(candidate));
    made.candidates.push_back(std::move(lowered));
  }
  return Node{std::move(made)};
}

Result<Node> StatementLowerer::type_test(const TypeTest& test) {
  const auto* path = std::get_if<Path>(&test.operand.front().form);
  if (path == nullptr) {
    return fail(messages::refused(
        "The left hand side argument to IS must be a Variable Reference, Literal, or Path"));
  }
  Operand operand{slots_.path(*path)};
  if (test.type == "missing") {
    return partiql::call(test.negated ? Function::AttributeExists : Function::AttributeNotExists,
                         std::move(operand));
  }
  const std::string_view type = type_tested(test.type);
  if (type.empty()) {
    return fail(messages::refused(
        "Unsupported data type for IS operator: " + test.type +
        ". Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, "
        "TUPLE, LIST]"));
  }
  ast::Call made{Function::AttributeType, {}};
  made.operands.push_back(std::move(operand));
  made.operands.push_back(slots_.value(type));
  Node node{std::move(made)};
  return test.negated ? none_of(std::move(node)) : std::move(node);
}

Result<Node> StatementLowerer::function(const Call& one, Place place) {
  const std::optional<Function> function = condition_function(one.function);
  if (!function) return fail(unknown_function(one, place));
  if (*function == Function::Size) return fail(messages::refused(std::string(kNoBoolean)));
  TAVOLA_TRY(ast::Call made, call(*function, one));
  return Node{std::move(made)};
}

Result<ast::Call> StatementLowerer::call(Function function, const Call& one) {
  const expr::FunctionInfo& known = expr::info(function);
  if (one.operands.size() != known.operands) {
    return fail(messages::refused(expr::messages::operand_count(known.name, one.operands.size())));
  }
  ast::Call made{function, {}};
  for (const Expr& argument : one.operands) {
    TAVOLA_TRY(Operand lowered, operand(argument));
    made.operands.push_back(std::move(lowered));
  }
  return made;
}

Result<Operand> StatementLowerer::operand(const Expr& expr) {
  if (const auto* path = std::get_if<Path>(&expr.form)) return Operand{slots_.path(*path)};
  if (is_value(expr)) {
    TAVOLA_TRY(Value value, value_of(expr, parameters_));
    return slots_.value(std::move(value));
  }
  if (std::holds_alternative<Missing>(expr.form)) {
    return fail(messages::refused("MISSING must be compared using IS operator"));
  }
  if (const auto* one = std::get_if<Call>(&expr.form)) {
    const std::optional<Function> function = condition_function(one->function);
    if (!function) return fail(unknown_function(*one, expr.place));
    TAVOLA_TRY(ast::Call made, call(*function, *one));
    return Operand{std::move(made)};
  }
  if (const auto* one = std::get_if<Operation>(&expr.form)) return fail(unsupported_in_condition(one->op));
  return fail(messages::refused("Unsupported token in expression: IS"));
}

// ---- Changes ----

Result<ast::Action> StatementLowerer::change(const Change& change) {
  if (!change.value) return ast::Action{ast::Section::Remove, slots_.path(change.target), std::nullopt};
  const auto* call = std::get_if<Call>(&change.value->form);
  const bool is_set = call != nullptr && (call->function == "set_add" || call->function == "set_delete");
  if (is_set) return set_change(change.target, *call, change.value->place);
  TAVOLA_TRY(Operand value, update_value(*change.value));
  return ast::Action{ast::Section::Set, slots_.path(change.target), std::move(value)};
}

// ss = set_add(ss, <<'a'>>) is DynamoDB's ADD, set_delete its DELETE.
Result<ast::Action> StatementLowerer::set_change(const Path& target, const Call& call, Place place) {
  const std::string name = call.function == "set_add" ? "SET_ADD" : "SET_DELETE";
  if (call.operands.size() != 2)
    return fail(messages::refused(name + " must have exactly two arguments", place));
  const auto* path = std::get_if<Path>(&call.operands[0].form);
  if (path == nullptr || *path != target) {
    return fail(
        messages::refused("The first argument to " + name + " must equal the assignment value", place));
  }
  const Error no_set = messages::refused("The second argument to " + name + " must be a value with type SET",
                                         call.operands[0].place);
  if (!is_value(call.operands[1])) return fail(no_set);
  TAVOLA_TRY(Value value, value_of(call.operands[1], parameters_));
  if (!is_set(value.type())) return fail(no_set);
  return ast::Action{name == "SET_ADD" ? ast::Section::Add : ast::Section::Delete, slots_.path(target),
                     slots_.value(std::move(value))};
}

Result<Operand> StatementLowerer::update_value(const Expr& expr) {
  if (const auto* path = std::get_if<Path>(&expr.form)) return Operand{slots_.path(*path)};
  if (is_value(expr)) {
    TAVOLA_TRY(Value value, value_of(expr, parameters_));
    return slots_.value(std::move(value));
  }
  if (std::holds_alternative<TypeTest>(expr.form)) {
    return fail(messages::refused("IS operator is not supported in update expressions"));
  }
  if (std::holds_alternative<Missing>(expr.form)) {
    return fail(messages::refused("MISSING must be compared using IS operator"));
  }
  const auto* call = std::get_if<Call>(&expr.form);
  const auto* operation = std::get_if<Operation>(&expr.form);
  if (call != nullptr && call->function != "list_append") return fail(unknown_function(*call, expr.place));
  const bool is_sum =
      operation != nullptr && (operation->op == Operator::Plus || operation->op == Operator::Minus);
  if (call == nullptr && !is_sum) {
    return fail(messages::refused("Unsupported operator in Update Expression. Operator: " +
                                  std::string(to_text(operation->op))));
  }
  const std::vector<Expr>& operands = call != nullptr ? call->operands : operation->operands;
  const Function function = call != nullptr                   ? Function::ListAppend
                            : operation->op == Operator::Plus ? Function::Plus
                                                              : Function::Minus;
  if (operands.size() != 2) {
    return fail(messages::refused(expr::messages::operand_count(expr::info(function).name, operands.size())));
  }
  ast::Call made{function, {}};
  for (const Expr& argument : operands) {
    // UpdateItem accepts one sum of two operands.
    if (const auto* inner = std::get_if<Operation>(&argument.form)) {
      return fail(messages::refused("Unsupported operator in Update Expression. Operator: " +
                                    std::string(to_text(inner->op))));
    }
    TAVOLA_TRY(Operand lowered, update_value(argument));
    made.operands.push_back(std::move(lowered));
  }
  return Operand{std::move(made)};
}

}  // namespace tavola::partiql
