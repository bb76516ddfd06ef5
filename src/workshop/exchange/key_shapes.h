// The shapes of keys: SHOP#s1 and SHOP#s2 are SHOP#<…>, META is META. Items of the same shapes are of one kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/value.h>

namespace tavola::workshop {

// A key's text, cut at each '#'. A value of the item that holds '#' and ends the key stays whole.
using Pieces = std::vector<std::string>;
Pieces cut(std::string_view key, const Item& item);

// An item with its keys, cut. A key that is no text is one piece.
struct Row {
  const Item* item = nullptr;
  Pieces hash;
  Pieces range;
};
using Rows = std::vector<Row>;

// The attributes whose names tell that they hold the kind of an item ("entityType"); empty when no item has one.
std::string find_entity_attribute(const std::vector<Item>& items, const std::vector<std::string>& keys);

// Groups of one kind each: the same value of `entity_attribute` (when there is one) and the same shapes of both keys.
std::vector<Rows> cluster(Rows rows, std::string_view entity_attribute);

// The text of a value that may stand in a key; empty for others.
std::string key_text(const Value& value);

// "SHOP", "LOW_STOCK": what people write into keys to tell kinds apart.
bool is_marker(std::string_view piece);

}  // namespace tavola::workshop
