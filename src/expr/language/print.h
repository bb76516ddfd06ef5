// Trees as text again, in a form that parses to the same tree: for logs, tools and tests.
#pragma once

#include <string>

#include "expr/language/ast.h"

namespace tavola::expr {

std::string print(const ast::Condition& tree);
std::string print(const ast::Formula& tree);  // what SET can hold
std::string print(const ast::Projection& tree);
// Actions of one section must stand together, as they do in every tree that was parsed.
std::string print(const ast::Update& tree);

}  // namespace tavola::expr
