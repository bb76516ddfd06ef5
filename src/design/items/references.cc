#include "design/items/references.h"

#include <algorithm>
#include <vector>

#include "design/items/entity_item.h"
#include "design/model/field_value.h"

namespace tavola::design {

std::string referenced_field(const Entity& entity, const std::string& reference, const Entity& target) {
  const std::vector<std::string> names = target.key_fields();
  if (names.empty()) return {};
  if (std::ranges::find(names, reference) != names.end()) return reference;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (entity.find_field(*name) == nullptr) return *name;
  }
  return names.back();
}

std::optional<Item> referenced_key(const Design& design, const Entity& entity, const Attribute& reference,
                                   const Value& value, const Item& fields) {
  const Entity* const target = design.find_entity(reference.ref);
  if (target == nullptr) return std::nullopt;
  Item key_fields;
  for (const std::string& name : target->key_fields()) {
    const auto beside = fields.find(name);
    if (beside != fields.end()) key_fields.insert(*beside);
  }
  if (std::string held = referenced_field(entity, reference.name, *target); !held.empty())
    key_fields.insert_or_assign(std::move(held), value);
  Result<Item> key = key_of(design, *target, key_fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

std::string missing_target(const Entity& entity, const Attribute& reference, const Value& value) {
  return entity.name + "." + reference.name + " must be a " + reference.ref + " that exists" +
         was(reference, value);
}

}  // namespace tavola::design
