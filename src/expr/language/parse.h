// Parses text to trees. Grammar (AWS has published no other than this one, in the sources of its DAX clients):
//
//   condition  := or ;  or := and (OR and)* ;  and := not (AND not)* ;  not := NOT not | primary
//   primary    := '(' condition ')' | operand comparator operand | operand BETWEEN operand AND operand
//               | operand IN '(' operand (',' operand)* ')' | function
//   operand    := path | :value | function | '(' operand ')'
//   function   := identifier '(' operand (',' operand)* ')'
//   path       := name ('.' name | '[' index ']')* ;  name := identifier | #name
//   projection := path (',' path)*
//   update     := (SET path '=' set-value (',' …)* | REMOVE path (',' …)* | ADD path :value (',' …)*
//               | DELETE path :value (',' …)*)+
//   set-value  := operand | arithmetic ;  arithmetic := operand ('+' | '-') operand | '(' arithmetic ')'
//
// Errors come in AWS's order: empty, too long, syntax or redundant parentheses (whichever comes first in the text), too
// many operators, unknown, misplaced or misused functions, reserved words. bind.h checks everything that needs names
// and values.
//
// Rules (rule.h) have the `kind` Rule and wider operands; their errors carry a RuleProblem:
//
//   operand    := product (('+' | '-') product)* ;  product := factor (('*' | '/') factor)*
//   factor     := path | :value | literal | function | '-' factor | '(' operand ')'
//   function   := identifier '(' (operand (',' operand)*)? ')'
//   literal    := 'text' | "text" | number | duration | true | false | null
#pragma once

#include <string_view>

#include <tavola/error.h>

#include "expr/language/ast.h"
#include "expr/language/messages.h"

namespace tavola::expr {

// `kind` is Condition, Filter or KeyCondition, which share the grammar and differ in messages, or Rule.
Result<ast::Condition> parse_condition(std::string_view text, ExpressionKind kind);
Result<ast::Projection> parse_projection(std::string_view text);
Result<ast::Update> parse_update(std::string_view text);
Result<ast::Formula> parse_formula(std::string_view text);  // a rule that computes a value

}  // namespace tavola::expr
