// Resolves every word of a rule: a field, a value of a field, or now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"

namespace tavola::expr {

// The inputs that a rule reads, each once, in the order of first mention.
struct RuleWords {
  std::vector<std::vector<std::string>> paths;
  std::vector<std::string> parameters;
  bool uses_caller = false;
  bool asks_exists = false;
  bool changes_by_itself = false;
};

// Returns whether a literal is a duration (30s, 2h, 90d) rather than a number (12.5).
bool is_duration(std::string_view literal);

// Words that are values become literals of the tree. Fails with a problem (rule_problem.h) on an unknown word. In a
// formula, values of the field "" are those of the field that the formula is for.
Result<RuleWords> resolve_words(ast::Condition& tree, const Vocabulary& vocabulary);
Result<RuleWords> resolve_words(ast::Formula& tree, const Vocabulary& vocabulary);

}  // namespace tavola::expr
