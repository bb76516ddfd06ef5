// Caches parsed trees by their text: applications send the same few expressions again and again.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/locks.h"

namespace tavola::expr {

// Thread safety: all methods; each shard is locked by its own mutex_. Invariants: (1) a shard's texts together are at
// most kShardBytes long. (2) A cached tree never changes. When a shard is full, trees that were not used since the last
// time it was full are evicted.
template <class Tree>
class TreeCache {
 public:
  // A tree takes about 20 times its text: a cache holds at most about 20 MB, and each grammar has one.
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kShardBytes = std::size_t{64} * 1024;

  // Returns null if missing. Does not allocate.
  std::shared_ptr<const Tree> find(std::string_view text) {
    Shard& shard = shard_of(text);
    const SharedLock lock(shard.mutex);
    const auto found = shard.trees.find(text);
    if (found == shard.trees.end()) return nullptr;
    found->second.wanted.store(true, std::memory_order_relaxed);
    return found->second.tree;
  }

  // Inserts `tree`, unless another thread was faster; returns the cached tree.
  std::shared_ptr<const Tree> insert(std::string_view text, Tree tree) {
    auto shared = std::make_shared<const Tree>(std::move(tree));
    Shard& shard = shard_of(text);
    const ExclusiveLock lock(shard.mutex);
    const auto [entry, inserted] = shard.trees.try_emplace(std::string(text), std::move(shared));
    auto kept = entry->second.tree;
    if (inserted) {
      shard.bytes += text.size();
      if (shard.bytes > kShardBytes) make_room(shard);
    }
    return kept;
  }

 private:
  struct Entry {
    explicit Entry(std::shared_ptr<const Tree> parsed) : tree(std::move(parsed)) {}
    std::shared_ptr<const Tree> tree;
    std::atomic<bool> wanted = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Shard {
    SharedMutex mutex;
    std::unordered_map<std::string, Entry, Hash, std::equal_to<>> trees TAVOLA_GUARDED_BY(mutex);
    std::size_t bytes TAVOLA_GUARDED_BY(mutex) = 0;
  };

  Shard& shard_of(std::string_view text) { return shards_[Hash()(text) >> 7U & (kShards - 1)]; }

  static void make_room(Shard& shard) TAVOLA_REQUIRES(shard.mutex) {
    for (auto entry = shard.trees.begin(); entry != shard.trees.end();) {
      if (entry->second.wanted.exchange(false, std::memory_order_relaxed)) {
        ++entry;
        continue;
      }
      shard.bytes -= entry->first.size();
      entry = shard.trees.erase(entry);
    }
    if (shard.bytes > kShardBytes) {  // all were used: start again
      shard.trees.clear();
      shard.bytes = 0;
    }
  }

  static_assert((kShards & (kShards - 1)) == 0);
  std::array<Shard, kShards> shards_;
};

}  // namespace tavola::expr
