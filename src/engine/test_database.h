// An engine on a store that the test can inspect. For tests only.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "engine/engine.h"
#include "engine/records/keys.h"
#include "store/postgres/test_postgres.h"

namespace tavola::engine {

enum class StoreKind : std::uint8_t { Memory, Rocks, Postgres };
inline constexpr StoreKind kStoreKinds[] = {StoreKind::Memory, StoreKind::Rocks, StoreKind::Postgres};
inline constexpr StoreKind kStoresWithBackups[] = {StoreKind::Memory, StoreKind::Rocks};
inline std::string to_string(StoreKind kind) {
  constexpr const char* kNames[] = {"Memory", "Rocks", "Postgres"};
  return kNames[std::to_underlying(kind)];
}

// Everything in a store, byte for byte.
using Dump = std::map<std::string, std::string>;

class TestDatabase {
 public:
  explicit TestDatabase(StoreKind kind, const Clock& clock = Clock::system()) : kind_(kind), clock_(clock) {
    open();
  }

  // Another engine on the store of `other`, as another server has one. Only for StoreKind::Postgres.
  explicit TestDatabase(const TestDatabase& other)
      : kind_(other.kind_), postgres_(other.postgres_), clock_(other.clock_) {
    open();
  }
  TestDatabase& operator=(const TestDatabase&) = delete;

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  store::Store& store() { return *store_; }

  // Closes and opens the store again. Not for StoreKind::Memory.
  void reopen() {
    engine_.reset();
    open();
  }

  Dump dump() const {
    Dump entries;
    const auto snapshot = store_->snapshot();
    const auto cursor = snapshot->range({}, store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) entries.emplace(cursor->key(), cursor->value());
    EXPECT_TRUE(cursor->status());
    return entries;
  }

  // Returns a table's catalog record; empty if there is none.
  std::string record(const std::string& table) const {
    const auto stored = store_->get(catalog_key(table));
    EXPECT_TRUE(stored) << stored.error().message();
    return stored ? stored->value_or("") : "";
  }

  // Returns the contents of the store except the catalog: a deleted table must leave nothing there.
  Dump data() const {
    Dump entries = dump();
    std::erase_if(entries, [](const auto& entry) { return entry.first.starts_with('\1'); });
    return entries;
  }

  // Returns everything except the number of the next table: what is left after all tables and tokens are removed.
  Dump leftovers() const {
    Dump entries = dump();
    entries.erase(next_table_id_key());
    return entries;
  }

  std::vector<PackedItem> scan_all(const std::string& table, const std::string& index = "") {
    std::vector<PackedItem> items;
    ScanRequest request{.table_name = table, .index_name = index};
    do {
      auto page = engine_->scan(request);
      EXPECT_TRUE(page) << page.error().message();
      if (!page) break;
      std::ranges::move(page->items, std::back_inserter(items));
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return items;
  }

  // The indexes contain exactly the entries of the items, and the counts are exact.
  void expect_consistent(const std::string& table) {
    const auto described = engine_->describe_table({table});
    ASSERT_TRUE(described) << described.error().message();
    const TableDescription& description = described->table;
    const std::vector<PackedItem> items = scan_all(table);
    EXPECT_EQ(description.item_count, static_cast<std::int64_t>(items.size()));
    EXPECT_EQ(description.size_bytes, total_size(items));
    for (const LocalIndex& index : description.local_indexes) expect_index(description, index, items);
    for (const GlobalIndex& index : description.global_indexes) expect_index(description, index, items);
  }

  static std::int64_t total_size(const std::vector<PackedItem>& items) {
    std::size_t bytes = 0;
    for (const PackedItem& item : items) bytes += item_size(item.view());
    return static_cast<std::int64_t>(bytes);
  }

 private:
  void open() {
    std::unique_ptr<store::Store> store;
    if (kind_ == StoreKind::Memory) {
      store = store::open_memory();
    } else if (kind_ == StoreKind::Postgres) {
      if (postgres_.url.empty()) postgres_ = store::new_postgres_schema();
      store = store::open_postgres_or_die(postgres_);
    } else {
      // Relaxed: these tests simulate no power cut, and a sync per write would make them slow.
      auto opened = store::open_rocks(directory_ / "data", {.durability = store::Durability::Relaxed});
      ASSERT_TRUE(opened) << opened.error().message();
      store = *std::move(opened);
    }
    store_ = store.get();
    engine_ = std::make_unique<Engine>(std::move(store), clock_);
  }

  template <class Index>
  void expect_index(const TableDescription& description, const Index& index,
                    const std::vector<PackedItem>& items) {
    std::vector<std::string> projected = index.projection.attributes;
    for (const auto* schema : {&description.key_schema, &index.key_schema}) {
      std::ranges::transform(*schema, std::back_inserter(projected), &KeySchemaElement::name);
    }
    std::vector<std::string> expected;
    std::int64_t bytes = 0;
    for (const PackedItem& item : items) {
      const auto fits = [&](const KeySchemaElement& element) {
        return fits_key(description, element, item.find(element.name));
      };
      if (!std::ranges::all_of(index.key_schema, fits)) continue;
      Item entry = item.unpack();
      if (index.projection.type != ProjectionType::All) {
        std::erase_if(
            entry, [&](const auto& a) { return std::ranges::find(projected, a.first) == projected.end(); });
      }
      const PackedItem packed = *pack(entry);
      bytes += static_cast<std::int64_t>(item_size(packed.view()));
      expected.push_back(packed.bytes());
    }
    std::vector<std::string> stored;
    for (const PackedItem& entry : scan_all(description.table_name, index.name))
      stored.push_back(entry.bytes());
    std::ranges::sort(expected);
    std::ranges::sort(stored);
    EXPECT_EQ(stored, expected) << "index " << index.name;
    const IndexStatistics& statistics = description.index_statistics.at(index.name);
    EXPECT_EQ(statistics.item_count, static_cast<std::int64_t>(expected.size())) << "index " << index.name;
    EXPECT_EQ(statistics.size_bytes, bytes) << "index " << index.name;
  }

  // Returns whether a value is valid in the key of an index. An item that predates the index may have another.
  static bool fits_key(const TableDescription& table, const KeySchemaElement& element,
                       const std::optional<ValueView>& value) {
    const auto definition =
        std::ranges::find(table.attribute_definitions, element.name, &AttributeDefinition::name);
    if (!value || value->type() != definition->type) return false;
    if (value->type() == Type::Number) return true;
    const std::size_t bytes = value->ordered_bytes().size();
    return bytes > 0 && bytes <= (element.type == KeyType::Hash ? 2048U : 1024U);
  }

  StoreKind kind_;
  store::PostgresOptions postgres_;
  const Clock& clock_;
  tavola::ScratchDirectory directory_;
  store::Store* store_ = nullptr;  // owned by engine_
  std::unique_ptr<Engine> engine_;
};

}  // namespace tavola::engine
