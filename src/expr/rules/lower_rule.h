// Lowers rules to expressions of DynamoDB: every part that reads no stored field is computed and becomes a value.
#pragma once

#include <string>

#include <tavola/error.h>

#include "expr/language/ast.h"
#include "expr/rules/rule.h"
#include "expr/rules/rule_fields.h"
#include "expr/rules/rule_values.h"

namespace tavola::expr {

// `is_field` must find no obstacle in the tree (rule_fields.h). Fails if a value is missing or cannot be computed.
Result<std::string> lower_rule(const ast::Node& condition, const RuleValues& values, const IsField& is_field,
                               ExpressionParts& parts);
Result<std::string> lower_rule(const ast::Operand& formula, const RuleValues& values, const IsField& is_field,
                               ExpressionParts& parts);

}  // namespace tavola::expr
