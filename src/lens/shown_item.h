// Items and keys in answers: without what is sensitive, and with the meaning of each part of a key.
//
//   {"entity": "Product", "key": {"PK": {"S": "SHOP#s1"}, …}, "item": {…}, "masked": ["email"],
//    "parts": {"PK": [{"text": "SHOP#"}, {"text": "s1", "field": "shopId", "ref": {"entity": "Shop", "key": {…}}}], …}}
//
// An item of no entity has "why" instead of "entity", and no "parts"; what any entity marks as sensitive is masked in it.
#pragma once

#include <string>
#include <string_view>

#include <tavola/value.h>

#include "design/items/entity_item.h"
#include "json/writer.h"
#include "lens/subject.h"

namespace tavola::lens {

// Returns the attributes of the table's key, as far as the item has them.
Item key_of_item(const design::Design& design, const Item& item);

// A template and the entity whose fields it is filled with.
struct FilledTemplate {
  const design::Entity& entity;
  const design::Template& key;
  const Item& fields;
};
// Writes the parts of a key as a list. A placeholder without a value ends the list.
void write_key_parts(json::Writer& json, const design::Design& design, const FilledTemplate& filled);

// Returns the template that made the key of an index, or of the table, for these fields: the one of the state if a lifecycle's state is the
// key. Null if the entity has no such key.
const design::Template* hash_template(const design::Entity& entity, std::string_view index,
                                      const Item& fields);
const design::Template* range_template(const design::Entity& entity, std::string_view index,
                                       const Item& fields);

// Writes the members of an item into an open object. `index` is the one whose keys have "parts", besides those of the table; empty: none.
void write_item_members(json::Writer& json, const Subject& subject, const design::Decoded& decoded,
                        const Item& item, std::string_view index = {});

// Writes the members "fields", as plain JSON without what is sensitive, and "masked" into an open object.
void write_fields(json::Writer& json, const Subject& subject, const design::Entity& entity,
                  const Item& fields);

}  // namespace tavola::lens
