// Conditions of any text: parsing ends, a parsed condition prints and parses to the same tree, and a compiled
// one evaluates.
#include <cstdint>
#include <string_view>

#include <tavola/packed.h>

#include "base/assert.h"
#include "expr/evaluate/compile.h"
#include "expr/language/parse.h"
#include "expr/language/print.h"
#include "value/limits.h"

namespace {

using namespace tavola;

const PackedItem& sample_item() {
  static const PackedItem item = *pack({{"a", 1},
                                        {"b", "text"},
                                        {"c", List{1, "x", Map{{"d", 2}}}},
                                        {"d", Map{{"a", Null()}, {"b", *StringSet::of({"x", "y"})}}},
                                        {"e", *NumberSet::of({1, 2})}});
  return item;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tree = expr::parse_condition(text, expr::ExpressionKind::Condition)) {
    const std::string printed = expr::print(*tree);
    // Printing inserts spaces and parentheses: only a text that stays short enough must parse again.
    if (printed.size() <= limits::kExpressionBytesMax) {
      const auto again = expr::parse_condition(printed, expr::ExpressionKind::Condition);
      TAVOLA_ASSERT(again.has_value() && *again == *tree);
    }
  }
  const AttributeNames names{{"#a", "a"}, {"#b", "b"}};
  static const PackedItem values =
      *pack({{":a", 1}, {":b", "x"}, {":c", List{}}, {":d", "S"}, {":e", *StringSet::of({"x"})}});
  expr::Compiler compiler(names, values.view());
  if (const auto condition = compiler.condition(text)) {
    condition->holds(sample_item().view());
    condition->holds(ItemView());
    condition->attributes();
  }
  return 0;
}
