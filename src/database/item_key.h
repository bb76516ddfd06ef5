// The key of an item.
#pragma once

#include <vector>

#include <tavola/packed.h>
#include <tavola/requests.h>

namespace tavola {

// Returns the attributes of an item that its table's key schema names. A missing attribute is left out.
PackedItem key_of_item(const std::vector<KeySchemaElement>& key_schema, const ItemView& item);

}  // namespace tavola
