// The shapes of keys: SHOP#s1 and SHOP#s2 are SHOP#<…>, META is META. Items of the same shapes are of one kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/value.h>

namespace tavola::workshop {

// The text of a key, split at each '#'. A final value of the item that contains '#' stays whole.
using Pieces = std::vector<std::string>;
Pieces cut(std::string_view key, const Item& item);

// An item with its keys, split. A key that is not text is one piece.
struct Row {
  const Item* item = nullptr;
  Pieces hash;
  Pieces range;
};
using Rows = std::vector<Row>;

// Returns the attribute whose name suggests that it holds the kind of an item ("entityType"); empty if there is
// none.
std::string find_entity_attribute(const std::vector<Item>& items, const std::vector<std::string>& keys);

// Returns groups of one kind each: equal values of `entity_attribute` (if there is one) and equal shapes of both
// keys.
std::vector<Rows> cluster(Rows rows, std::string_view entity_attribute);

// Returns the text of a value that may stand in a key; empty for others.
std::string key_text(const Value& value);

// Returns whether the piece is a word that distinguishes kinds: "SHOP", "LOW_STOCK".
bool is_marker(std::string_view piece);

}  // namespace tavola::workshop
