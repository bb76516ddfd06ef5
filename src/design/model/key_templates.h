// The keys of an entity's items, as templates.
#pragma once

#include <string_view>
#include <vector>

#include "design/model/model.h"

namespace tavola::design {

// In the table or an index; those of all states where the key is a lifecycle's. Fields that are always the same are written
// out: <entityType> is SITE where entityType is always SITE. Empty when the entity is not there.
struct KeyTemplates {
  std::vector<Template> hash;
  std::vector<Template> range;
};
KeyTemplates keys_in(const Design& design, const Entity& entity, std::string_view table_or_index);

}  // namespace tavola::design
