// The stores that must pass the common tests, and functions to read them. For tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "base/test_scratch_directory.h"
#include "store/postgres/test_postgres.h"
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
    // Small buffers, so that data soon moves through files and levels.
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
    {"Postgres", [](const ScratchDirectory&) { return open_postgres_or_die(new_postgres_schema()); }},
};

// Names, lengths and times of the files of a directory.
inline std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> state_of_files(
    const std::filesystem::path& directory) {
  std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code gone;
    files[entry.path().filename()] = {entry.file_size(gone), entry.last_write_time(gone)};
  }
  return files;
}

inline void save(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Copies what a kill would leave; repeats the copy if background work changed a file during it.
inline void copy_while_open(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (auto before = state_of_files(from);;) {
    std::filesystem::remove_all(to);
    std::filesystem::create_directory(to);
    for (const auto& [name, state] : before) {
      std::error_code gone;
      std::filesystem::copy_file(from / name, to / name, gone);
    }
    auto after = state_of_files(from);
    if (after == before) return;
    before = std::move(after);
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
