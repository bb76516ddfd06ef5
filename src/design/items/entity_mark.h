// The entity mark: the value of the table's entity_attribute in the items of an entity.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::design {

// Returns the literal that the entity gives the attribute as its `value`, or else the entity's name.
inline std::string entity_mark(const Design& design, const Entity& entity) {
  const Attribute* const declared = entity.find_field(design.table.entity_attribute);
  const bool said = declared != nullptr && declared->value && declared->value->is_literal();
  return said ? declared->value->text() : entity.name;
}

}  // namespace tavola::design
