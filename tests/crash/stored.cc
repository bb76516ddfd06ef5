#include "tests/crash/stored.h"

#include <utility>

#include <tavola/table.h>

namespace tavola::crash {

namespace {

// Small pages, so that the scan goes through many of them.
constexpr std::int64_t kPageLimit = 50;

Result<std::vector<Item>> scan_all(Database& database, const std::string& table, const std::string& index) {
  Table scanned(database, table);
  std::vector<Item> items;
  for (const Result<Item>& item : scanned.scan({.index = index, .page_limit = kPageLimit})) {
    TAVOLA_CHECK(item);
    items.push_back(*item);
  }
  return items;
}

Result<StoredTable> read_table(Database& database, const std::string& name) {
  StoredTable table;
  TAVOLA_TRY(auto items, scan_all(database, name, ""));
  for (Item& item : items) {
    const Key key = key_of(item);
    if (!table.items.emplace(key, std::move(item)).second) {
      return fail(
          Error::internal("the scan returned " + key.partition + " " + std::to_string(key.sort) + " twice"));
    }
  }
  TAVOLA_TRY(const auto description, database.describe_table({.table_name = name}));
  table.described_items = description.table.item_count;
  for (const auto& [index, statistics] : description.table.index_statistics) {
    table.described_index_items[index] = statistics.item_count;
  }
  const CreateTableRequest definition = table_definition(name);
  for (const GlobalIndex& index : definition.global_indexes) {
    TAVOLA_TRY(table.indexes[index.name], scan_all(database, name, index.name));
  }
  for (const LocalIndex& index : definition.local_indexes) {
    TAVOLA_TRY(table.indexes[index.name], scan_all(database, name, index.name));
  }
  return table;
}

}  // namespace

Result<Stored> read_stored(Database& database) {
  Stored stored;
  TAVOLA_TRY(const auto list, database.list_tables({}));
  for (const std::string& name : list.table_names) {
    TAVOLA_TRY(stored[name], read_table(database, name));
  }
  return stored;
}

}  // namespace tavola::crash
