// Parses text to trees. The grammar, as far as DynamoDB supports it (Developer Guide, "PartiQL statements"):
//
//   statement  := (select | insert | update | delete | EXISTS '(' select ')') [';']
//   select     := SELECT ('*' | path (',' path)*) FROM source [WHERE expr] [ORDER BY path [ASC | DESC] (',' …)*]
//   insert     := INSERT INTO source VALUE expr
//   update     := UPDATE source change+ [WHERE expr] [returning] | FROM source [WHERE expr] change+ [returning]
//   change     := SET path '=' expr (',' path '=' expr)* | REMOVE path
//   delete     := DELETE FROM source [WHERE expr] [returning]
//   returning  := RETURNING (ALL | MODIFIED) (OLD | NEW) '*'
//   source     := name ['.' name]
//   expr       := or ;  or := and (OR and)* ;  and := not (AND not)* ;  not := NOT not | equality
//   equality   := comparison (('=' | '<>' | '!=' | [NOT] IN) comparison | IS [NOT] type)*
//   comparison := sum (('<' | '<=' | '>' | '>=' | [NOT] LIKE) sum | [NOT] BETWEEN sum AND sum)*
//   sum        := product (('+' | '-' | '||') product)* ;  product := unary (('*' | '/' | '%') unary)*
//   unary      := ('-' | '+' | NOT) unary | term
//   term       := path | literal | '?' | function '(' … ')' | '(' expr ')'
//   literal    := 'text' | number | true | false | null | [a, b] | <<a, b>> | {'name': value}
//   path       := name ('.' name | '[' index ']')* ;  name := word | "quoted"
//
// Errors of the text alone come first: syntax errors, then syntax that is not supported.
#pragma once

#include <string_view>

#include <tavola/error.h>

#include "partiql/statement.h"

namespace tavola::partiql {

Result<Statement> parse(std::string_view text);

}  // namespace tavola::partiql
