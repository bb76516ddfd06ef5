#include "tests/crash/agreement.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include <tavola/table.h>

namespace tavola::crash {

namespace {

struct IndexSpec {
  std::string name;
  std::vector<KeySchemaElement> key_schema;
  IndexProjection projection;
};

std::vector<IndexSpec> indexes_of(const CreateTableRequest& definition) {
  std::vector<IndexSpec> specs;
  specs.reserve(definition.global_indexes.size() + definition.local_indexes.size());
  for (const GlobalIndex& index : definition.global_indexes) {
    specs.push_back({index.name, index.key_schema, index.projection});
  }
  for (const LocalIndex& index : definition.local_indexes) {
    specs.push_back({index.name, index.key_schema, index.projection});
  }
  return specs;
}

// Returns the entry of `item` in the index; nullopt if it lacks one of the index's key attributes.
std::optional<Item> entry_of(const IndexSpec& index, const Item& item) {
  std::set<std::string> kept{kPartition, kSort};
  for (const KeySchemaElement& element : index.key_schema) {
    if (!item.contains(element.name)) return std::nullopt;
    kept.insert(element.name);
  }
  if (index.projection.type == ProjectionType::All) return item;
  kept.insert(index.projection.attributes.begin(), index.projection.attributes.end());
  Item entry;
  for (const auto& [name, value] : item) {
    if (kept.contains(name)) entry.emplace(name, value);
  }
  return entry;
}

void compare_index(const std::string& where, const std::map<Key, Item>& expected,
                   const std::vector<Item>& found, Violations& violations) {
  std::map<Key, Item> entries;
  for (const Item& entry : found) {
    const Key key = key_of(entry);
    if (!entries.emplace(key, entry).second)
      violations.push_back(where + " has two entries for " + shorten(entry));
    if (!expected.contains(key)) violations.push_back(where + " has an entry of no item: " + shorten(entry));
  }
  for (const auto& [key, entry] : expected) {
    const auto at = entries.find(key);
    if (at == entries.end()) {
      violations.push_back(where + " lacks the entry " + shorten(entry));
    } else if (at->second != entry) {
      violations.push_back(where + " has " + shorten(at->second) + " where the item says " + shorten(entry));
    }
  }
}

void compare_count(const std::string& where, std::int64_t described, std::size_t scanned,
                   Violations& violations) {
  if (described == static_cast<std::int64_t>(scanned)) return;
  violations.push_back(where + ": DescribeTable counts " + std::to_string(described) +
                       " items, the scan returned " + std::to_string(scanned));
}

}  // namespace

Violations disagreements(const Stored& stored) {
  Violations violations;
  for (const auto& [name, table] : stored) {
    compare_count(name, table.described_items, table.items.size(), violations);
    for (const IndexSpec& index : indexes_of(table_definition(name))) {
      std::map<Key, Item> expected;
      for (const auto& [key, item] : table.items) {
        if (auto entry = entry_of(index, item)) expected.emplace(key, *std::move(entry));
      }
      const std::string where = name + "/" + index.name;
      const auto found = table.indexes.find(index.name);
      static const std::vector<Item> none;
      const std::vector<Item>& entries = found == table.indexes.end() ? none : found->second;
      compare_index(where, expected, entries, violations);
      const auto described = table.described_index_items.find(index.name);
      compare_count(where, described == table.described_index_items.end() ? -1 : described->second,
                    entries.size(), violations);
    }
  }
  return violations;
}

Violations disagreements_of_reads(Database& database, const Stored& stored) {
  Violations violations;
  for (const auto& [name, table] : stored) {
    Table read_again(database, name);
    for (const auto& [key, item] : table.items) {
      const auto read = read_again.get(key_item(key), {.consistent = true});
      if (!read) {
        violations.push_back(name + ": GetItem failed: " + read.error().message());
      } else if (*read != item) {
        violations.push_back(name + ": GetItem does not return what the scan did: " + shorten(item));
      }
    }
  }
  return violations;
}

std::string shorten(const Item& item) {
  constexpr std::size_t kCharsMax = 40;
  Item copy = item;
  for (auto& value : copy | std::views::values) {
    if (value.is_string() && value.string().size() > kCharsMax) {
      value = value.string().substr(0, kCharsMax) + "… of " + std::to_string(value.string().size());
    }
  }
  return to_json(copy);
}

}  // namespace tavola::crash
