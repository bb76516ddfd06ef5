// Finds the parts of a rule that the database evaluates when it is lowered, and the obstacles to that.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// Distinguishes paths of the stored item from those of items read before.
using IsField = std::function<bool(const ast::Path&)>;

// Returns whether a part of the stored item is read.
bool mentions_field(const ast::Operand& operand, const IsField& is_field);
bool mentions_field(const ast::Node& node, const IsField& is_field);

// A sum, split into terms: a + (b - c) is +a +b -c. A part that mentions no field is one term.
struct Term {
  const ast::Operand* operand;
  bool negative = false;
};
std::vector<Term> terms_of(const ast::Operand& sum, const IsField& is_field);

// Returns the choices of first(), with those of a nested first().
std::vector<const ast::Operand*> choices_of(const ast::Call& call);
bool is_choice(const ast::Call& call);

// Returns the first part that DynamoDB has no expression for, in a condition or in a SET.
std::optional<RuleProblem> obstacle(const ast::Node& condition, std::string_view text,
                                    const IsField& is_field);
std::optional<RuleProblem> obstacle(const ast::Operand& formula, std::string_view text,
                                    const IsField& is_field);

}  // namespace tavola::expr
