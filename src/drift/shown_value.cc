#include "drift/shown_value.h"

#include <algorithm>
#include <string_view>

#include "design/items/dependent_writes.h"
#include "design/items/masked.h"
#include "design/model/plain_json.h"
#include "design/model/secrets.h"

namespace tavola::drift {

std::string shown_value(const design::Attribute* field, const Value* value) {
  if (value == nullptr) return "absent";
  return design::to_plain_json(field == nullptr ? *value : design::masked(*field, *value));
}

// $unique#User.mail#anna@example.com
Item shown_key(const design::Design& design, const Item& key) {
  constexpr std::string_view kGuardBegins = "$unique#";
  const auto hash = key.find(design.table.hash.name);
  if (hash == key.end() || !hash->second.is_string() || !hash->second.string().starts_with(kGuardBegins))
    return key;
  const std::string_view name = std::string_view(hash->second.string()).substr(kGuardBegins.size());
  const std::string_view of = name.substr(0, name.find('#'));
  const design::Entity* const entity = design.find_entity(of.substr(0, of.find('.')));
  const design::Attribute* const field =
      entity == nullptr ? nullptr : entity->find_field(of.substr(std::min(of.find('.') + 1, of.size())));
  // A field that the design does not have any more may have been sensitive.
  if (field != nullptr && !design::holds_secret(*field)) return key;
  return design::record_key(design.table, "$unique", std::string(of) + "#***");
}

}  // namespace tavola::drift
