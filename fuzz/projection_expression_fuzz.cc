// Projections of any text: a compiled one leaves a well-formed part of an item, and projecting twice changes
// nothing more as long as no list loses elements.
#include <cstdint>
#include <string_view>

#include <tavola/packed.h>

#include "base/assert.h"
#include "expr/evaluate/compile.h"
#include "expr/language/parse.h"
#include "expr/language/print.h"
#include "value/limits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tree = expr::parse_projection(text)) {
    const std::string printed = expr::print(*tree);
    if (printed.size() <= limits::kExpressionBytesMax) {
      const auto again = expr::parse_projection(printed);
      TAVOLA_ASSERT(again.has_value() && *again == *tree);
    }
  }
  static const PackedItem item =
      *pack({{"a", Map{{"a", Map{{"b", 1}, {"c", 2}}}, {"b", List{1, Map{{"a", 3}}}}}},
             {"b", List{List{1, 2}, 3}},
             {"c", "text"}});
  const AttributeNames names{{"#a", "a"}, {"#b", "b"}};
  const PackedItem no_values;
  expr::Compiler compiler(names, no_values.view());
  const auto projection = compiler.projection(text);
  if (!projection) return 0;
  const PackedItem once = projection->apply(item.view());
  TAVOLA_ASSERT(check_packed(once.bytes()).has_value());
  TAVOLA_ASSERT(once.view().size() <= projection->attributes().size());
  if (text.find('[') == std::string_view::npos) TAVOLA_ASSERT(projection->apply(once.view()) == once);
  return 0;
}
