// Any bytes load, or are refused with positions in the text; a loaded design has a table definition, and recognizes the
// entity of any item of the table, or gives the reason why none.
#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/value.h>

#include "base/assert.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/language/diagnostic.h"
#include "design/lint/lint.h"
#include "design/load.h"

namespace {

using namespace tavola;

// Returns a key with the texts of the entity's template, and values for its placeholders.
Value key_like(const design::Template& key, Type type) {
  if (type == Type::Number) return 7;
  std::string text;
  for (const design::Template::Part& part : key.parts()) {
    const auto* const literal = std::get_if<std::string>(&part);
    text += literal != nullptr ? *literal : "2024-01-31T12:00:00Z";
  }
  return text;
}

void check_items(const design::Design& design) {
  for (const design::Entity& entity : design.entities) {
    Item item{{design.table.hash.name, key_like(entity.hash, design.table.hash.type)}, {"some", "thing"}};
    if (design.table.range && entity.range)
      item[design.table.range->name] = key_like(*entity.range, design.table.range->type);
    const design::Decoded decoded = design::decode(design, item);
    TAVOLA_ASSERT((decoded.entity == nullptr) == !decoded.why_none.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const design::Loaded loaded = design::load(text, "any.yaml");
  bool has_error = false;
  for (const design::Diagnostic& one : loaded.diagnostics) {
    has_error = has_error || one.severity == design::Severity::Error;
    TAVOLA_ASSERT(one.span.begin <= one.span.end && one.span.end.line <= size + 1);
    TAVOLA_ASSERT(!one.message.empty() && !one.advice.empty());
    design::to_text(one, text);
  }
  TAVOLA_ASSERT(loaded.design.has_value() == !has_error);
  if (!loaded.design) return 0;
  design::lint(*loaded.design);
  design::table_schema(*loaded.design);
  check_items(*loaded.design);
  return 0;
}
