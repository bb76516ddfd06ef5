#include "database/item_key.h"

#include <algorithm>
#include <string_view>

namespace tavola {

PackedItem key_of_item(const std::vector<KeySchemaElement>& key_schema, const ItemView& item) {
  std::vector<std::string_view> names;
  names.reserve(key_schema.size());
  for (const KeySchemaElement& element : key_schema) names.emplace_back(element.name);
  std::ranges::sort(names);  // the order of a packed item
  ItemWriter writer;
  for (const std::string_view name : names) {
    const auto value = item.find(name);
    if (!value) continue;
    writer.name(name);
    writer.value(*value);
  }
  return std::move(writer).finish();
}

}  // namespace tavola
