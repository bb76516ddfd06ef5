// GuardMirror: a cache of guarded values, so that the guard of a busy table costs a comparison in memory and not a read
// of the database.
//
// Thread safety: all methods. Coherence: a guard's key changes only under an exclusive lock on it, which excludes
// threads that check or remember the guard; commits call forget() before they release that lock. For keys erased by a
// range, which are not locked one by one, the ticket prevents a value read before the erasure from being remembered
// after it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/locks.h"
#include "store/store.h"

namespace tavola::store {

class GuardMirror {
 public:
  using Ticket = std::uint64_t;

  // Returns whether the guard holds; nullopt if its key is not cached.
  std::optional<bool> holds(const Guard& guard) const;

  // Must be called before the key's value is read.
  Ticket expect(std::string_view key);
  // Caches the value (or absence) that was read, unless forget() was called since expect().
  void remember(std::string_view key, std::optional<std::string_view> value, Ticket ticket);

  // Drops values that the writes may have changed. Must be called after they were written, even if the write failed.
  void forget(std::span<const Write> writes);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };
  using Values = std::unordered_map<std::string, std::optional<std::string>, Hash, std::equal_to<>>;
  struct alignas(64) Shard {
    mutable SharedMutex mutex;
    Values values TAVOLA_GUARDED_BY(mutex);
  };

  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kMarks = 4096;
  static constexpr std::size_t kValuesPerShardMax = 64;
  static constexpr std::size_t kValueBytesMax = std::size_t{64} * 1024;

  void forget_range(std::string_view from, std::string_view to);

  std::array<Shard, kShards> shards_;
  // Set for the hash of every key ever expected: most writes see here that they change no guarded key.
  std::array<std::atomic<bool>, kMarks> marks_{};
  std::atomic<Ticket> forgotten_ = 0;
};

}  // namespace tavola::store
