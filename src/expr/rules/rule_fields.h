// Which parts of a rule stay with the database when it is lowered, and what keeps them from it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// Tells paths of the stored item from those of what was read before.
using IsField = std::function<bool(const ast::Path&)>;

// Whether something of the stored item is looked at.
bool mentions_field(const ast::Operand& operand, const IsField& is_field);
bool mentions_field(const ast::Node& node, const IsField& is_field);

// A sum, taken apart: a + (b - c) is +a +b -c. What mentions no field is one term.
struct Term {
  const ast::Operand* operand;
  bool negative = false;
};
std::vector<Term> terms_of(const ast::Operand& sum, const IsField& is_field);

// The choices of first(), with those of a first() within.
std::vector<const ast::Operand*> choices_of(const ast::Call& call);
bool is_choice(const ast::Call& call);

// The first part that DynamoDB has no expression for, in a condition or in a SET.
std::optional<RuleProblem> obstacle(const ast::Node& condition, std::string_view text,
                                    const IsField& is_field);
std::optional<RuleProblem> obstacle(const ast::Operand& formula, std::string_view text,
                                    const IsField& is_field);

}  // namespace tavola::expr
