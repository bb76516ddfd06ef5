// The stores that must pass the common tests, and how those read them. For tests only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "store/scratch_directory.h"
#include "store/store.h"

namespace tavola::store {

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*open)(const ScratchDirectory& scratch);
};

inline std::unique_ptr<Store> open_rocks_or_die(const std::filesystem::path& path,
                                                const RocksOptions& options = {
                                                    .durability = Durability::Relaxed}) {
  auto store = open_rocks(path, options);
  if (!store) ADD_FAILURE() << store.error().message();
  TAVOLA_ASSERT(store.has_value());
  return std::move(*store);
}

inline const StoreKind kStoresUnderTest[] = {
    {"Memory", [](const ScratchDirectory&) { return open_memory(); }},
    {"Rocks", [](const ScratchDirectory& scratch) { return open_rocks_or_die(scratch / "store"); }},
    // So small that data soon moves through files and levels.
    {"RocksOnDisk",
     [](const ScratchDirectory& scratch) {
       return open_rocks_or_die(
           scratch / "store",
           {.durability = Durability::Relaxed, .cache_bytes = 65'536, .write_buffer_bytes = 65'536});
     }},
    {"RocksDeferred",
     [](const ScratchDirectory& scratch) {
       return open_rocks_or_die(scratch / "store", {.durability = Durability::Deferred});
     }},
};

// What a kill at this moment would leave. RocksDB removes files it no longer needs in the background: one may be
// gone before it is copied.
inline void copy_while_open(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::create_directory(to);
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    std::error_code gone;
    std::filesystem::copy_file(entry.path(), to / entry.path().filename(), gone);
  }
}

using Entries = std::vector<std::pair<std::string, std::string>>;

inline Entries entries_of(const Snapshot& snapshot, const KeyRange& range,
                          Direction direction = Direction::Forward) {
  Entries entries;
  const std::unique_ptr<Cursor> cursor = snapshot.range(range, direction);
  for (; cursor->valid(); cursor->next()) entries.emplace_back(cursor->key(), cursor->value());
  EXPECT_TRUE(cursor->status().has_value());
  return entries;
}

inline Result<void> write(Store& store, const std::vector<Write>& writes) {
  return store.transact({}, {}, [&](const View&) -> Result<Decision> { return Decision{writes, {}}; });
}

}  // namespace tavola::store
