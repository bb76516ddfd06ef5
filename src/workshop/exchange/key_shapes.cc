#include "workshop/exchange/key_shapes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "base/ascii.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

constexpr std::size_t kKindsMax = 16;

// Returns how many characters at the beginning of the text are a timestamp; 0 if there is none.
std::size_t timestamp_length(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size()) return 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return 0;
  }
  const std::size_t zone = text.find_first_not_of(".0123456789", kForm.size());
  return zone != std::string_view::npos && text[zone] == 'Z' ? zone + 1 : 0;
}

// Returns the length of the longest value of the item that contains the separator and is a whole piece at the beginning of the text.
// A value that begins with a marker is itself a key: COUNTRY#DE, SITE#1.
std::size_t whole_value(std::string_view text, const Item& item, const Division& division) {
  std::size_t longest = 0;
  for (const auto& [name, value] : item) {
    if (!value.is_string() || std::ranges::find(division.keys, name) != division.keys.end()) continue;
    const std::string_view whole = value.string();
    const std::size_t at = whole.find(division.separator);
    const bool is_here =
        text.starts_with(whole) && (text.size() == whole.size() || text[whole.size()] == division.separator);
    if (at != std::string_view::npos && is_here && !is_marker(whole.substr(0, at)))
      longest = std::max(longest, whole.size());
  }
  return longest;
}

// Returns whether most items have the value of the attribute in one of their keys: type User, key USER#1.
bool is_in_keys(const std::vector<Item>& items, std::string_view attribute,
                const std::vector<std::string>& keys) {
  std::size_t found = 0;
  for (const Item& item : items) {
    const std::string value = lower_case(item.find(attribute)->second.string());
    found += std::ranges::any_of(keys, [&](const std::string& key) {
      const auto at = item.find(key);
      return at != item.end() && lower_case(key_text(at->second)).contains(value);
    });
  }
  return found * 5 >= items.size() * 4;
}

// One position of all keys of a group: the second piece of their partition keys.
struct Column {
  Pieces Row::* key;
  std::size_t place;

  const std::string& of(const Row& row) const { return (row.*key)[place]; }
};

std::set<std::string_view> distinct(const Rows& rows, Column column) {
  std::set<std::string_view> values;
  for (const Row& row : rows) values.insert(column.of(row));
  return values;
}

// Returns whether an attribute of every item equals the piece: then it is data, however few values it has.
bool is_an_attribute(const Rows& rows, Column column, std::string_view entity_attribute) {
  for (const auto& [name, value] : *rows.front().item) {
    if (name == entity_attribute || key_text(value) != column.of(rows.front())) continue;
    const bool always = std::ranges::all_of(rows, [&](const Row& row) {
      const auto at = row.item->find(name);
      return at != row.item->end() && key_text(at->second) == column.of(row);
    });
    if (always) return true;
  }
  return false;
}

// Returns whether the items of each value have attributes that those of no other value have, or lack some.
bool have_own_attributes(const Rows& rows, Column column) {
  std::map<std::string_view, std::set<std::string>> names;
  for (const Row& row : rows) {
    for (const auto& [name, _] : *row.item) names[column.of(row)].insert(name);
  }
  std::set<std::set<std::string>> different;
  for (auto& [_, of_value] : names) different.insert(std::move(of_value));
  return different.size() == names.size();
}

// Returns whether the pieces distinguish kinds: few, marker-like, and none of them data. A piece after a marker
// is a value.
bool distinguishes_kinds(const Rows& rows, Column column, std::string_view entity_attribute) {
  const std::set<std::string_view> values = distinct(rows, column);
  if (values.size() < 2 || values.size() > kKindsMax) return false;
  if (column.place > 0) {
    const auto before = distinct(rows, {column.key, column.place - 1});
    if (before.size() == 1 && is_word(*before.begin())) return false;
  }
  const bool markers =
      std::ranges::all_of(values, [](std::string_view value) { return value.empty() || is_marker(value); });
  // A leading marker is a marker even if an attribute repeats it.
  if (markers && column.place == 0 && (rows.front().*column.key).size() > 1) return true;
  const bool words = std::ranges::all_of(values, is_word) && rows.size() >= values.size() * 2 &&
                     (rows.size() >= values.size() * 4 || have_own_attributes(rows, column));
  return (markers || words) && !is_an_attribute(rows, column, entity_attribute);
}

// Splits at the first position that distinguishes kinds, and then splits the parts.
void split(Rows rows, std::string_view entity_attribute, std::vector<Rows>& groups) {
  for (Pieces Row::* const key : {&Row::hash, &Row::range}) {
    for (std::size_t place = 0; place < (rows.front().*key).size(); ++place) {
      const Column column{key, place};
      if (!distinguishes_kinds(rows, column, entity_attribute)) continue;
      std::map<std::string, Rows> parts;
      for (Row& row : rows) parts[column.of(row)].push_back(std::move(row));
      for (auto& [_, part] : parts) split(std::move(part), entity_attribute, groups);
      return;
    }
  }
  groups.push_back(std::move(rows));
}

}  // namespace

bool is_marker(std::string_view piece) {
  return !piece.empty() && std::isupper(static_cast<unsigned char>(piece.front())) != 0 &&
         std::ranges::all_of(
             piece, [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

std::string key_text(const Value& value) {
  if (value.is_string()) return value.string();
  return value.is_number() ? value.number().to_string() : std::string();
}

bool is_word(std::string_view piece) {
  return !piece.empty() &&
         std::ranges::all_of(piece, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
}

char find_separator(const std::vector<std::string>& keys) {
  constexpr std::string_view kSeparators = "#|:/_";
  std::map<char, std::size_t> counts;
  std::size_t divided = 0;
  for (const std::string& key : keys) {
    std::string_view text = key;
    bool is_divided = false;
    for (const char separator : kSeparators) {
      const std::size_t at = text.find(separator);
      // A URL is not divided by its slashes, a timestamp not by its colons, and LOW_STOCK is one word.
      const bool counts_here = at != std::string_view::npos && !text.contains("://") &&
                               timestamp_length(text) != text.size() &&
                               (separator != '_' || (!is_marker(text) && at > 0));
      counts[separator] += counts_here ? 1 : 0;
      is_divided = is_divided || counts_here;
    }
    divided += is_divided ? 1 : 0;
  }
  for (const char separator : kSeparators) {
    if (counts[separator] > 0 && counts[separator] * 2 >= divided) return separator;
  }
  return '#';
}

Pieces cut(std::string_view key, const Item& item, const Division& division) {
  Pieces pieces;
  while (true) {
    const std::size_t whole = std::max(timestamp_length(key), whole_value(key, item, division));
    const std::size_t end = key.find(division.separator, whole);
    pieces.emplace_back(key.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    key.remove_prefix(end + 1);
  }
}

std::string find_entity_attribute(const std::vector<Item>& items, const std::vector<std::string>& keys) {
  constexpr std::array<std::string_view, 12> kNames{"entityType", "entity_type", "__edb_e__", "_et",
                                                    "_type",      "__typename",  "itemType",  "recordType",
                                                    "entityName", "entity",      "_entity",   "objectType"};
  constexpr std::array<std::string_view, 5> kCommonNames{"type", "Type", "kind", "model", "object"};
  const auto is_everywhere = [&](std::string_view name) {
    if (std::ranges::find(keys, name) != keys.end()) return false;
    std::set<std::string_view> values;
    for (const Item& item : items) {
      const auto value = item.find(name);
      if (value == item.end() || !value->second.is_string()) return false;
      values.insert(value->second.string());
    }
    return !items.empty() && values.size() <= 4 * kKindsMax;
  };
  for (const std::string_view name : kNames) {
    if (is_everywhere(name)) return std::string(name);
  }
  for (const std::string_view name : kCommonNames) {
    if (is_everywhere(name) && is_in_keys(items, name, keys)) return std::string(name);
  }
  return {};
}

std::vector<Rows> cluster(Rows rows, std::string_view entity_attribute) {
  std::map<std::tuple<std::string, std::size_t, std::size_t>, Rows> alike;
  for (Row& row : rows) {
    std::string kind;
    if (!entity_attribute.empty()) kind = key_text(row.item->at(std::string(entity_attribute)));
    const auto hash = row.hash.size();
    const auto range = row.range.size();
    alike[{std::move(kind), hash, range}].push_back(std::move(row));
  }
  std::vector<Rows> groups;
  for (auto& [_, group] : alike) split(std::move(group), entity_attribute, groups);
  return groups;
}

}  // namespace tavola::workshop
