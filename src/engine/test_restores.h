// The contents of a table, to compare it with another one. For tests only.
#pragma once

#include <map>
#include <string>

#include "engine/test_database.h"

namespace tavola::engine {

// By key, packed both.
using Contents = std::map<std::string, std::string>;

inline std::string key_text_of(const Item& item) {
  return item.at("pk").string() + "/" + item.at("sk").number().to_string();
}

// Requires a table with the keys of good_table().
inline Contents contents(TestDatabase& db, const std::string& table) {
  Contents items;
  for (const PackedItem& item : db.scan_all(table)) items.emplace(key_text_of(item.unpack()), item.bytes());
  return items;
}

}  // namespace tavola::engine
