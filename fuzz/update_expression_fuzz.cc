// Updates of any text: an applied one leaves a well-formed item and changes only the attributes it declares.
#include <algorithm>
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

void check_applied(const expr::Update& update, const PackedItem& before, const PackedItem& after) {
  TAVOLA_ASSERT(check_packed(after.bytes()).has_value());
  const std::vector<std::string> touched = update.attributes();
  const auto untouched = [&](std::string_view name) {
    return std::ranges::find(touched, name) == touched.end();
  };
  for (const auto& [name, value] : before.view()) {
    if (untouched(name)) TAVOLA_ASSERT(after.find(name) == value);
  }
  for (const auto& [name, value] : after.view()) {
    if (untouched(name)) TAVOLA_ASSERT(before.find(name) == value);
  }
  TAVOLA_ASSERT(check_packed(update.touched().apply(after.view()).bytes()).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tree = expr::parse_update(text)) {
    const std::string printed = expr::print(*tree);
    if (printed.size() <= limits::kExpressionBytesMax) {
      const auto again = expr::parse_update(printed);
      TAVOLA_ASSERT(again.has_value() && *again == *tree);
    }
  }
  static const PackedItem before = *pack({{"a", 1},
                                          {"b", List{1, Map{{"a", 1}}, List{2}}},
                                          {"c", Map{{"a", 1}, {"b", *StringSet::of({"x", "y"})}}},
                                          {"d", *NumberSet::of({1, 2})}});
  static const PackedItem values = *pack({{":a", 1},
                                          {":b", List{7}},
                                          {":c", *StringSet::of({"x"})},
                                          {":d", *NumberSet::of({1, 2})},
                                          {":e", Map{{"a", Map{}}}}});
  const AttributeNames names{{"#a", "a"}, {"#b", "b"}};
  expr::Compiler compiler(names, values.view());
  const auto update = compiler.update(text);
  if (!update) return 0;
  if (const auto after = update->apply(before.view())) check_applied(*update, before, *after);
  const PackedItem nothing;
  if (const auto after = update->apply(nothing.view(), expr::ItemState::New))
    check_applied(*update, nothing, *after);
  return 0;
}
