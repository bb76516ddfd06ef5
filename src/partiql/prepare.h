// A statement with its parameters, in the terms of the expression engine, before its table is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "partiql/literal.h"
#include "partiql/slots.h"
#include "partiql/statement.h"

namespace tavola::partiql {

// A returned part of an item, and its name in the result: m.k[0] as k[0].
struct Column {
  std::string name;
  Path path;
};

struct Prepared {
  Statement statement;
  std::string table{};  // its name, even if the statement has its ARN
  std::string index{};
  Slots slots{};
  std::optional<ast::Node> where{};
  std::vector<ast::Action> changes{};     // of UPDATE
  Item item{};                            // of INSERT
  std::vector<Column> columns{};          // of SELECT, ordered by name; none: all attributes
  std::vector<std::string> attributes{};  // that columns are made of, each once, as written
};

// Parses, binds the parameters, and makes all checks that need no table.
Result<Prepared> prepare(std::string_view statement, Parameters parameters);

}  // namespace tavola::partiql
