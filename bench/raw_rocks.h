// RocksDB without Tavola, with exactly the options of Tavola's store (store/rocks/rocks_options.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::bench {

class RawRocks {
 public:
  enum class Sync : bool { No, Yes };

  // Opens (or creates) `directory`.
  RawRocks(const std::filesystem::path& directory, std::size_t cache_bytes);
  ~RawRocks();
  RawRocks(const RawRocks&) = delete;
  RawRocks& operator=(const RawRocks&) = delete;

  // Each ends the program if RocksDB fails.
  bool get(std::string_view key, std::string& value) const;
  void put(std::string_view key, std::string_view value, Sync sync);
  void erase(std::string_view key, Sync sync);
  // Copies entries from `from` on, as the response to a query does: up to `count` entries or `bytes` bytes.
  void read_range(std::string_view from, std::size_t count, std::size_t bytes,
                  std::vector<std::string>& out) const;
  // Reads every entry once.
  void read_through() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Calls `entry` with every entry that RocksDB stores in `directory` (closed), in order.
void for_each_stored(const std::filesystem::path& directory,
                     const std::function<void(std::string_view key, std::string_view value)>& entry);

}  // namespace tavola::bench
