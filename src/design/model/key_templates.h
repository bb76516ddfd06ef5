// The keys of an entity's items, as templates.
#pragma once

#include <string_view>
#include <vector>

#include "design/model/model.h"

namespace tavola::design {

// The key templates in the table or an index; those of all states if the key is a lifecycle's. Constant fields are
// written out: <entityType> is SITE if entityType is always SITE. Empty if the entity is not in the index.
struct KeyTemplates {
  std::vector<Template> hash;
  std::vector<Template> range;
};
KeyTemplates keys_in(const Design& design, const Entity& entity, std::string_view table_or_index);

// Returns whether the table's key shows only the day of the field: <start:date>. Then the key does not give its value.
bool is_shown_as_day(const Entity& entity, std::string_view field);

}  // namespace tavola::design
