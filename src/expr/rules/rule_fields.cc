#include "expr/rules/rule_fields.h"

#include <algorithm>
#include <string>
#include <utility>

#include "value/limits.h"

namespace tavola::expr {

namespace {

using ast::Operand;
using Problem = std::optional<RuleProblem>;

std::vector<const Operand*> operands_of(const ast::Node& relation) {
  std::vector<const Operand*> all;
  std::visit(Overloaded{
                 [&](const ast::Comparison& x) { all = {&x.left, &x.right}; },
                 [&](const ast::Between& x) { all = {&x.value, &x.low, &x.high}; },
                 [&](const ast::In& x) {
                   all = {&x.value};
                   for (const Operand& candidate : x.candidates) all.push_back(&candidate);
                 },
                 [&](const ast::Call& x) {
                   for (const Operand& operand : x.operands) all.push_back(&operand);
                 },
                 [](const auto&) {},
             },
             relation.form);
  return all;
}

// The terms of AND, OR and NOT; null for a relation.
const std::vector<ast::Node>* terms_in(const ast::Node& node) {
  if (const auto* all = std::get_if<ast::And>(&node.form)) return &all->terms;
  if (const auto* any = std::get_if<ast::Or>(&node.form)) return &any->terms;
  if (const auto* negated = std::get_if<ast::Not>(&node.form)) return &negated->term;
  return nullptr;
}

bool is_arithmetic(const Operand& operand) {
  const auto* call = std::get_if<ast::Call>(&operand.form);
  return call != nullptr && info(call->function).name.size() == 1;
}

class Obstacles {
 public:
  Obstacles(std::string_view text, const IsField& is_field) : text_(text), is_field_(is_field) {}

  Problem in_condition(const ast::Node& node) const {
    if (!mentions_field(node, is_field_)) return std::nullopt;
    if (const std::vector<ast::Node>* terms = terms_in(node)) {
      for (const ast::Node& term : *terms) {
        if (Problem problem = in_condition(term)) return problem;
      }
      return std::nullopt;
    }
    if (const auto* call = std::get_if<ast::Call>(&node.form)) return in_function(*call);
    return in_relation(node);
  }

  Problem in_formula(const Operand& formula) const {
    const auto* call = std::get_if<ast::Call>(&formula.form);
    if (call != nullptr && call->function == Function::ListAppend && mentions(formula)) {
      for (const Operand& operand : call->operands) {
        if (Problem problem = in_set_operand(operand)) return problem;
      }
      return std::nullopt;
    }
    return in_sum(formula);
  }

 private:
  bool mentions(const Operand& operand) const { return mentions_field(operand, is_field_); }
  std::string written(const Operand& operand) const {
    return std::string(text_.substr(operand.source.offset, operand.source.length));
  }
  RuleProblem problem(const Operand& operand, std::string_view what, std::string advice) const {
    return {operand.source.offset, operand.source.length, written(operand).append(what), std::move(advice)};
  }

  // DynamoDB compares attributes, their sizes and values, but nothing computed from attributes.
  Problem in_compared(const Operand& operand) const {
    if (!mentions(operand) || std::holds_alternative<ast::Path>(operand.form)) return std::nullopt;
    const auto& call = std::get<ast::Call>(operand.form);
    if (call.function == Function::Size && std::holds_alternative<ast::Path>(call.operands[0].form))
      return std::nullopt;
    return problem(operand, " is computed from a stored field, which the database cannot do in a condition",
                   is_arithmetic(operand)
                       ? "isolate the field: `currentStock >= :quantity` for `currentStock - :quantity >= 0`"
                       : "store the value in an attribute, with `derive`, and compare that");
  }

  Problem in_relation(const ast::Node& node) const {
    const std::vector<const Operand*> operands = operands_of(node);
    for (const Operand* operand : operands) {
      if (Problem found = in_compared(*operand)) return found;
    }
    for (const Operand* other : operands) {
      if (Problem found = same(*operands.front(), *other)) return found;
    }
    const auto* in = std::get_if<ast::In>(&node.form);
    if (in == nullptr || in->candidates.size() <= limits::kInOperandsMax) return std::nullopt;
    return problem(in->value, " is compared with more than 100 values", "join several IN with OR");
  }

  Problem in_function(const ast::Call& call) const {
    const Operand& first = call.operands.front();
    const bool whole =
        call.function == Function::AttributeExists || call.function == Function::AttributeNotExists;
    if (whole && !std::holds_alternative<ast::Path>(first.form)) {
      return problem(first, " is not a field", "in the database, exists(a) requires a field");
    }
    for (const Operand& operand : call.operands) {
      if (Problem found = in_compared(operand)) return found;
    }
    if (call.function == Function::AttributeType && mentions(call.operands[1])) {
      return problem(call.operands[1], " is a stored field", "write the type as a text: 'S'");
    }
    return call.operands.size() == 2 ? same(first, call.operands[1]) : std::nullopt;
  }

  Problem same(const Operand& first, const Operand& other) const {
    const bool paths = std::holds_alternative<ast::Path>(first.form) && &first != &other;
    if (!paths || !(first == other)) return std::nullopt;
    return problem(other, " is compared with itself", "write exists(" + written(first) + ')');
  }

  // SET has one + or -, between two operands.
  Problem in_sum(const Operand& sum) const {
    if (!mentions(sum)) return std::nullopt;
    const std::vector<Term> terms = terms_of(sum, is_field_);
    std::size_t fields = 0;
    std::size_t negative = 0;
    for (const Term& term : terms) {
      if (Problem found = in_set_operand(*term.operand)) return found;
      if (!mentions(*term.operand)) continue;
      ++fields;
      negative += term.negative ? 1 : 0;
    }
    const bool alone = fields == terms.size();
    if (fields == 1 || (fields == 2 && alone && negative < 2)) return std::nullopt;
    return problem(sum, " adds more than the database can in one step",
                   "use two stored fields at most, or one and any number of parameters");
  }

  // Accepts an attribute, a value, or the first existing of several.
  Problem in_set_operand(const Operand& operand) const {
    if (!mentions(operand) || std::holds_alternative<ast::Path>(operand.form)) return std::nullopt;
    const auto& call = std::get<ast::Call>(operand.form);
    if (!is_choice(call)) {
      return problem(operand, " is computed from a stored field, which the database cannot do in an update",
                     "stored fields allow +, -, first(a, b) and list_append(a, b); use `derive` for others");
    }
    for (const Operand* choice : choices_of(call)) {
      const bool plain = std::holds_alternative<ast::Path>(choice->form) || !mentions(*choice);
      if (!plain)
        return problem(*choice, " is computed from a stored field", "choose among fields and values");
    }
    return std::nullopt;
  }

  std::string_view text_;
  const IsField& is_field_;
};

}  // namespace

bool mentions_field(const Operand& operand, const IsField& is_field) {
  if (const auto* path = std::get_if<ast::Path>(&operand.form)) return is_field(*path);
  const auto* call = std::get_if<ast::Call>(&operand.form);
  return call != nullptr && std::ranges::any_of(call->operands, [&](const Operand& argument) {
           return mentions_field(argument, is_field);
         });
}

bool mentions_field(const ast::Node& node, const IsField& is_field) {
  if (const std::vector<ast::Node>* terms = terms_in(node)) {
    return std::ranges::any_of(*terms, [&](const ast::Node& term) { return mentions_field(term, is_field); });
  }
  return std::ranges::any_of(operands_of(node),
                             [&](const Operand* operand) { return mentions_field(*operand, is_field); });
}

std::vector<Term> terms_of(const Operand& sum, const IsField& is_field) {
  const auto* call = std::get_if<ast::Call>(&sum.form);
  const bool splits = call != nullptr && mentions_field(sum, is_field) &&
                      (call->function == Function::Plus || call->function == Function::Minus ||
                       call->function == Function::Negate);
  if (!splits) return {{&sum}};
  std::vector<Term> terms;
  for (const Operand& operand : call->operands) {
    const bool last = &operand == &call->operands.back();
    const bool negated = call->function != Function::Plus && last;
    for (Term term : terms_of(operand, is_field)) {
      term.negative ^= negated;
      terms.push_back(term);
    }
  }
  return terms;
}

bool is_choice(const ast::Call& call) {
  return call.function == Function::First || call.function == Function::IfNotExists;
}

std::vector<const Operand*> choices_of(const ast::Call& call) {
  std::vector<const Operand*> choices;
  for (const Operand& operand : call.operands) {
    const auto* inner = std::get_if<ast::Call>(&operand.form);
    if (inner != nullptr && is_choice(*inner)) {
      const std::vector<const Operand*> more = choices_of(*inner);
      choices.insert(choices.end(), more.begin(), more.end());
    } else {
      choices.push_back(&operand);
    }
  }
  return choices;
}

Problem obstacle(const ast::Node& condition, std::string_view text, const IsField& is_field) {
  return Obstacles(text, is_field).in_condition(condition);
}

Problem obstacle(const Operand& formula, std::string_view text, const IsField& is_field) {
  return Obstacles(text, is_field).in_formula(formula);
}

}  // namespace tavola::expr
