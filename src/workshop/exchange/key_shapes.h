// The shapes of keys: SHOP#s1 and SHOP#s2 are SHOP#<…>, META is META. Items of the same shapes are of one kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/value.h>

namespace tavola::workshop {

// How the keys of one attribute are divided into pieces.
struct Division {
  char separator = '#';
  std::vector<std::string> keys{};  // the key attributes of the table and its indexes, which are not data
};

// Returns the character that divides most of the keys: one of # | : / and _; '#' if none does.
char find_separator(const std::vector<std::string>& keys);

// The text of a key, split at its separator. A value of the item that contains the separator stays whole, and so does a timestamp.
using Pieces = std::vector<std::string>;
Pieces cut(std::string_view key, const Item& item, const Division& division);

// An item with its keys, split. A key that is not text is one piece.
struct Row {
  const Item* item = nullptr;
  Pieces hash;
  Pieces range;
};
using Rows = std::vector<Row>;

// Returns the attribute that holds the kind of every item ("entityType", "_type", "__edb_e__"); empty if there is none. A name that
// may as well be data ("type") counts only if the keys contain its values.
std::string find_entity_attribute(const std::vector<Item>& items, const std::vector<std::string>& keys);

// Returns groups of one kind each: equal values of `entity_attribute` (if there is one) and equal shapes of both
// keys.
std::vector<Rows> cluster(Rows rows, std::string_view entity_attribute);

// Returns the text of a value that may stand in a key; empty for others.
std::string key_text(const Value& value);

// Returns whether the piece is a word that distinguishes kinds: "SHOP", "LOW_STOCK".
bool is_marker(std::string_view piece);
// Returns whether the piece consists of letters: "profile", "SHOP".
bool is_word(std::string_view piece);

}  // namespace tavola::workshop
