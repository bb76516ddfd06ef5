// Items of a design from plain JSON objects, with fields by their names.
//
//   {"entity": "Product", "shopId": "s1", "productId": "p1", "name": "Lamp", "unitPrice": 5}
//   {"entity": "Product", "fields": {"shopId": "s1", …}}        as `tavola design sample --format entities` writes it
#pragma once

#include <string>
#include <string_view>

#include <tavola/packed.h>

#include "design/model/model.h"

namespace tavola::transfer {

// Makes the item of an object. Given states, counters and automatic times are kept, other computed fields are computed, and missing
// ones get their defaults. `entity` is that of objects that name none; empty: each must. Objects in DynamoDB JSON are items already. Fails with
// Validation if the design has no such entity or field, or a value is wrong.
Result<PackedItem> item_of_object(const design::Design& design, const std::string& entity,
                                  std::string_view object);

}  // namespace tavola::transfer
