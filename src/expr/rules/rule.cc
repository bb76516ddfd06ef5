#include "expr/rules/rule.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "expr/language/parse.h"
#include "expr/language/rule_problem.h"
#include "expr/rules/lower_rule.h"
#include "expr/rules/rule_fields.h"
#include "expr/rules/rule_values.h"
#include "expr/rules/rule_words.h"

namespace tavola::expr {

struct Rule::Tree {
  std::variant<ast::Condition, ast::Formula> form;
};

namespace {

std::unexpected<RuleProblem> refuse(const Error& error) {
  const auto* detail = error.detail<RuleProblemDetail>();
  TAVOLA_ASSERT(detail != nullptr);
  return std::unexpected(detail->problem);
}

// Returns whether a path is certainly a field before anything was read: product.name may be part of a field `product`,
// or belong to a product.
bool certainly_field(const ast::Path& path) {
  return path.elements.size() == 1 || path.elements[1].kind != ast::PathElement::Kind::Name;
}

// A quotient is not a time: now() / 1000 are seconds.
bool is_moment(const ast::Operand& operand, const ast::Placeholders& placeholders) {
  if (const auto* slot = std::get_if<ast::ValueSlot>(&operand.form))
    return is_duration(placeholders.values[slot->slot]);
  const auto* call = std::get_if<ast::Call>(&operand.form);
  if (call == nullptr) return false;
  switch (call->function) {
    case Function::Now:
    case Function::Ms:
    case Function::StartOf:
    case Function::EndOf:
      return true;
    case Function::Plus:
    case Function::Minus:
    case Function::First:
    case Function::IfNotExists:
      return std::ranges::any_of(call->operands,
                                 [&](const ast::Operand& one) { return is_moment(one, placeholders); });
    default:
      return false;
  }
}

}  // namespace

std::expected<Rule, RuleProblem> Rule::parse(std::string_view text, Form form, const Vocabulary& vocabulary) {
  auto tree = std::make_shared<Tree>();
  if (form == Form::Condition) {
    Result<ast::Condition> parsed = parse_condition(text, ExpressionKind::Rule);
    if (!parsed) return refuse(parsed.error());
    tree->form = *std::move(parsed);
  } else {
    Result<ast::Formula> parsed = parse_formula(text);
    if (!parsed) return refuse(parsed.error());
    tree->form = *std::move(parsed);
  }
  Result<RuleWords> words =
      std::visit([&](auto& parsed) { return resolve_words(parsed, vocabulary); }, tree->form);
  if (!words) return refuse(words.error());
  Rule rule;
  rule.text_ = text;
  rule.tree_ = std::move(tree);
  rule.paths_ = std::move(words->paths);
  rule.parameters_ = std::move(words->parameters);
  rule.uses_caller_ = words->uses_caller;
  rule.asks_exists_ = words->asks_exists;
  rule.changes_by_itself_ = words->changes_by_itself;
  if (const auto* formula = std::get_if<ast::Formula>(&rule.tree_->form))
    rule.gives_moment_ = is_moment(formula->root, formula->placeholders);
  return rule;
}

Result<bool> Rule::holds(const RuleInputs& inputs) const {
  const auto& condition = std::get<ast::Condition>(tree_->form);
  return RuleValues(text_, condition.placeholders, inputs).holds(condition.root);
}

Result<std::optional<Value>> Rule::value(const RuleInputs& inputs) const {
  const auto& formula = std::get<ast::Formula>(tree_->form);
  return RuleValues(text_, formula.placeholders, inputs).value(formula.root);
}

Result<std::string> Rule::lower(const RuleInputs& inputs, ExpressionParts& parts) const {
  const IsField is_field = [&inputs](const ast::Path& path) {
    return other_named(path.elements.front().name, inputs) == nullptr;
  };
  return std::visit(
      [&](const auto& parsed) -> Result<std::string> {
        if (const auto problem = obstacle(parsed.root, text_, is_field)) {
          return fail(Error::validation(problem->message + "; " + problem->advice));
        }
        const RuleValues values(text_, parsed.placeholders, inputs);
        return lower_rule(parsed.root, values, is_field, parts);
      },
      tree_->form);
}

std::optional<RuleProblem> Rule::why_not_lowered() const {
  return std::visit([&](const auto& parsed) { return obstacle(parsed.root, text_, certainly_field); },
                    tree_->form);
}

std::string ExpressionParts::name(std::string_view attribute) {
  for (const auto& [placeholder, known] : names_) {
    if (known == attribute) return placeholder;
  }
  std::string placeholder = "#n" + std::to_string(names_.size());
  names_.emplace(placeholder, attribute);
  return placeholder;
}

std::string ExpressionParts::value(const Value& value) {
  std::string placeholder = ":v" + std::to_string(values_.size());
  values_.emplace(placeholder, value);
  return placeholder;
}

}  // namespace tavola::expr
