// Key conditions of any text: a compiled one has terms with values.
#include <cstdint>
#include <string_view>

#include <tavola/packed.h>

#include "base/assert.h"
#include "expr/evaluate/compile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const AttributeNames names{{"#a", "a"}, {"#b", "b"}};
  static const PackedItem values = *pack({{":a", 1}, {":b", "x"}, {":c", 2}, {":d", Binary{"y"}}});
  expr::Compiler compiler(names, values.view());
  const auto key = compiler.key_condition(text);
  TAVOLA_ASSERT(!key || compiler.key_expression(text).has_value());
  if (!key) return 0;
  TAVOLA_ASSERT(!key->terms.empty());
  for (const expr::KeyTerm& term : key->terms) {
    TAVOLA_ASSERT(!term.attribute.empty() && !term.first.bytes().empty() && !term.second.bytes().empty());
    TAVOLA_ASSERT(term.op == expr::KeyOperator::Between || term.first == term.second);
  }
  return 0;
}
