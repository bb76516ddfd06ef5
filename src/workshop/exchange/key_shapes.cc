#include "workshop/exchange/key_shapes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

constexpr std::size_t kKindsMax = 16;

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

bool is_word(std::string_view piece) {
  return !piece.empty() &&
         std::ranges::all_of(piece, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
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

// Returns whether the pieces distinguish kinds: few, marker-like, and none of them data. A piece after a marker
// is a value.
bool tells_kinds(const Rows& rows, Column column, std::string_view entity_attribute) {
  const std::set<std::string_view> values = distinct(rows, column);
  if (values.size() < 2 || values.size() > kKindsMax) return false;
  if (column.place > 0) {
    const auto before = distinct(rows, {column.key, column.place - 1});
    if (before.size() == 1 && is_word(*before.begin())) return false;
  }
  const bool markers =
      std::ranges::all_of(values, [](std::string_view value) { return value.empty() || is_marker(value); });
  const bool words = std::ranges::all_of(values, is_word) && rows.size() >= values.size() * 4;
  // A leading marker is a marker even if an attribute repeats it.
  if (markers && column.place == 0 && (rows.front().*column.key).size() > 1) return true;
  return (markers || words) && !is_an_attribute(rows, column, entity_attribute);
}

// Splits at the first position that distinguishes kinds, and then splits the parts.
void split(Rows rows, std::string_view entity_attribute, std::vector<Rows>& groups) {
  for (Pieces Row::* const key : {&Row::hash, &Row::range}) {
    for (std::size_t place = 0; place < (rows.front().*key).size(); ++place) {
      const Column column{key, place};
      if (!tells_kinds(rows, column, entity_attribute)) continue;
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

Pieces cut(std::string_view key, const Item& item) {
  std::string_view whole;
  for (const auto& [_, value] : item) {
    if (!value.is_string()) continue;
    const std::string_view text = value.string();
    const bool ends_key =
        key.size() > text.size() && key.ends_with(text) && key[key.size() - text.size() - 1] == '#';
    // A value that contains a marker is itself a key: COUNTRY#DE, SITE#1.
    const bool is_data = text.contains('#') && !is_marker(text.substr(0, text.find('#')));
    if (ends_key && is_data && text.size() > whole.size()) whole = text;
  }
  key.remove_suffix(whole.empty() ? 0 : whole.size() + 1);
  Pieces pieces;
  for (std::size_t end = key.find('#'); end != std::string_view::npos; end = key.find('#')) {
    pieces.emplace_back(key.substr(0, end));
    key.remove_prefix(end + 1);
  }
  pieces.emplace_back(key);
  if (!whole.empty()) pieces.emplace_back(whole);
  return pieces;
}

std::string find_entity_attribute(const std::vector<Item>& items, const std::vector<std::string>& keys) {
  constexpr std::array<std::string_view, 9> kNames{"entityType", "entity_type", "entity", "_et", "__edb_e__",
                                                   "_type",      "itemType",    "kind",   "Type"};
  for (const std::string_view name : kNames) {
    if (std::ranges::find(keys, name) != keys.end()) continue;
    std::set<std::string_view> values;
    const bool always = !items.empty() && std::ranges::all_of(items, [&](const Item& item) {
      const auto value = item.find(name);
      if (value == item.end() || !value->second.is_string()) return false;
      values.insert(value->second.string());
      return true;
    });
    if (always && values.size() <= 4 * kKindsMax) return std::string(name);
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
