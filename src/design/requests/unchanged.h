// The condition that an item is as it was read.
#pragma once

#include <optional>
#include <string>

#include <tavola/value.h>

#include "design/model/dependencies.h"
#include "design/requests/pending_write.h"

namespace tavola::design {

// Returns the stored attribute of a field; empty if only the table's keys hold it.
std::string attribute_of(const Design& design, const Entity& entity, const std::string& field);

// Adds a condition that the consulted fields of the item read as `stored` are unchanged; nullopt: that there is still
// no item.
void add_unchanged(const Design& design, const Entity& entity, const FieldNames& consulted,
                   const std::optional<Item>& stored, PendingWrite& write);

}  // namespace tavola::design
