// Prints trees as text that parses to the same tree: for logs, tools and tests.
#pragma once

#include <string>

#include "expr/language/ast.h"

namespace tavola::expr {

std::string print(const ast::Condition& tree);
std::string print(const ast::Formula& tree);  // an operand of SET
std::string print(const ast::Projection& tree);
// Actions of one section must be adjacent, as they are in every parsed tree.
std::string print(const ast::Update& tree);

}  // namespace tavola::expr
