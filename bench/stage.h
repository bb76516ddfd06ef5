// The databases that the benchmarks share: created on first use, and filled with equal items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "bench/data.h"
#include "bench/raw_rocks.h"

namespace tavola::bench {

inline constexpr std::uint64_t kItems = 30'000;  // of 1 KB: they fit into the cache, so CPU is measured
inline constexpr std::uint64_t kIndexedItems = 10'000;  // in the table with an index
inline constexpr std::uint64_t kWideItems = 200'000;    // of 150 bytes, in one partition

enum class Where : std::uint8_t { Synced, Relaxed, Memory };
// The purpose of a database. Each has one table, "items"; readers do not share one with writers, whose
// leftovers (files to be compacted, a cache full of other entries) would affect them.
enum class Use : std::uint8_t {
  Read,
  Write,
  ReadIndexed,
  WriteIndexed,
  ReadWide,
  WriteStreamed,
  WriteRecoverable
};
inline constexpr std::size_t kUses = 7;

Database& database(Where where, Use use);

// RocksDB with exactly the entries of such a table, byte by byte; for Read and Write.
struct Raw {
  std::unique_ptr<RawRocks> rocks;
  std::vector<std::string> keys;  // of the items, in the store's order
};
Raw& raw(Use use);

// Closes all of them. Nothing above may be used afterwards.
void close_stage();

// Returns another sequence at every call: a repeated run would otherwise write unchanged items, which the store
// skips.
Random fresh_random();

// Prepared keys and packed items by number, so that making requests is not measured.
const std::vector<PackedItem>& item_keys();
const std::vector<PackedItem>& packed_items();

// Returns a copy of the item with other notes.
PackedItem changed(const PackedItem& item, Random& random);

}  // namespace tavola::bench
