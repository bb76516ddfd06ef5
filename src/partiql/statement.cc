#include "partiql/statement.h"

#include <array>

#include "base/overloaded.h"

namespace tavola::partiql {

std::string_view to_text(Operator op) {
  static constexpr std::array<std::string_view, 20> kNames{
      "OR", "AND",  "NOT", "=", "<>", "<", "<=", ">",  ">=", "BETWEEN",
      "IN", "LIKE", "+",   "-", "*",  "/", "%",  "||", "-",  "+"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_text(Returning returning) {
  static constexpr std::array<std::string_view, 4> kNames{"ALL OLD *", "MODIFIED OLD *", "ALL NEW *",
                                                          "MODIFIED NEW *"};
  return kNames[static_cast<std::size_t>(returning)];
}

const Source& source_of(const Statement& statement) {
  return std::visit(Overloaded{
                        [](const Select& select) -> const Source& { return select.from; },
                        [](const Insert& insert) -> const Source& { return insert.into; },
                        [](const Update& update) -> const Source& { return update.table; },
                        [](const Delete& remove) -> const Source& { return remove.from; },
                        [](const Exists& exists) -> const Source& { return exists.select.from; },
                    },
                    statement);
}

}  // namespace tavola::partiql
