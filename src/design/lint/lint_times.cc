// Lints about conditions that compare a stored time with a number of milliseconds.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "design/lint/lints.h"
#include "expr/language/ast.h"
#include "expr/language/parse.h"

namespace tavola::design {
namespace {

namespace ast = expr::ast;
using expr::Function;
using Kind = AttributeType::Kind;

// Returns whether the operand is a time in milliseconds: now(), ms(…), and their sums with durations.
bool counts_milliseconds(const ast::Operand& operand) {
  if (const auto* path = std::get_if<ast::Path>(&operand.form))
    return path->elements.size() == 1 && path->elements.front().name == "now";  // short for now()
  const auto* const call = std::get_if<ast::Call>(&operand.form);
  if (call == nullptr) return false;
  if (call->function == Function::Now || call->function == Function::Ms) return true;
  return (call->function == Function::Plus || call->function == Function::Minus) &&
         std::ranges::any_of(call->operands, counts_milliseconds);
}

// Finds the fields that a condition compares with milliseconds, and that are stored in another form.
class OtherForms {
 public:
  explicit OtherForms(const Entity& entity) : entity_(entity) {}

  void search(const ast::Node& node) {
    std::visit(Overloaded{[this](const ast::And& all) { search(all.terms); },
                          [this](const ast::Or& any) { search(any.terms); },
                          [this](const ast::Not& negated) { search(negated.term); },
                          [this](const ast::Comparison& one) { compare(std::array{&one.left, &one.right}); },
                          [this](const ast::Between& one) {
                            compare(std::array{&one.value, &one.low});
                            compare(std::array{&one.value, &one.high});
                          },
                          [](const auto&) {}},
               node.form);
  }
  const std::vector<const Attribute*>& found() const { return found_; }

 private:
  void search(const std::vector<ast::Node>& terms) {
    for (const ast::Node& term : terms) search(term);
  }

  void compare(const std::array<const ast::Operand*, 2>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Attribute* const field = field_of(*operands.at(i));
      if (field == nullptr || !counts_milliseconds(*operands.at(1 - i))) continue;
      if (std::ranges::find(found_, field) == found_.end()) found_.push_back(field);
    }
  }

  const Attribute* field_of(const ast::Operand& operand) const {
    const auto* const path = std::get_if<ast::Path>(&operand.form);
    if (path == nullptr || path->elements.size() != 1) return nullptr;
    const Attribute* const field = entity_.find_field(path->elements.front().name);
    if (field == nullptr) return nullptr;
    const Kind kind = field->type.kind;
    return kind == Kind::TimestampIso || kind == Kind::TimestampS || kind == Kind::Date ? field : nullptr;
  }

  const Entity& entity_;
  std::vector<const Attribute*> found_;
};

// A condition over the fields of an entity, and the remedy where it stands.
struct Condition {
  const Entity* entity = nullptr;
  const Rule& rule;
  const Span& at;
  const Notes& notes;
  std::string advice;
};

void lint_condition(Lints& lints, const Condition& condition) {
  if (condition.entity == nullptr) return;
  const auto parsed = expr::parse_condition(condition.rule.text(), expr::ExpressionKind::Rule);
  if (!parsed) return;
  OtherForms forms(*condition.entity);
  forms.search(parsed->root);
  for (const Attribute* const field : forms.found()) {
    lints.add("time-forms", condition.at, {&condition.notes, &condition.entity->notes},
              "`" + condition.rule.text() + "` compares " + field->name + ", " +
                  (field->type.kind == Kind::TimestampS ? "which counts seconds" : "a text") +
                  ", with milliseconds",
              condition.advice);
  }
}

// Conditions that the database evaluates may compute nothing of a field, but a parameter has its form.
constexpr std::string_view kByParameter =
    "Compare it with a parameter, which has the field's form: `FIELD > :moment`, with `params: { moment: { "
    "default: now() } }`.";

std::string computed_advice(const Entity& entity, const Rule& rule) {
  const bool has_text = std::ranges::any_of(rule.paths(), [&](const std::vector<std::string>& path) {
    const Attribute* const field = entity.find_field(path.front());
    return field != nullptr && field->type.kind == Kind::TimestampIso;
  });
  return has_text ? "Compare milliseconds: `ms(FIELD)`." : "Compare `FIELD * 1000`.";
}

}  // namespace

void lint_times(Lints& lints) {
  const Design& design = lints.design();
  for (const Pattern& pattern : design.patterns) {
    if (!pattern.filter) continue;
    lint_condition(lints, {design.find_entity(pattern.entity.text), *pattern.filter, pattern.filter_at,
                           pattern.notes, std::string(kByParameter)});
  }
  for (const Operation& operation : design.operations) {
    for (const Step& step : operation.steps) {
      for (const Requirement& one : step.require) {
        lint_condition(lints, {design.find_entity(step.entity.text), one.that, one.at, operation.notes,
                               std::string(kByParameter)});
      }
    }
  }
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      if (!field.when) continue;
      lint_condition(
          lints, {&entity, *field.when, field.value_at, field.notes, computed_advice(entity, *field.when)});
    }
  }
}

}  // namespace tavola::design
