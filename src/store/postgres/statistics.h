// Counts of a store on PostgreSQL since it was opened, for metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace tavola::store {

// Thread safety: each count by itself.
struct Statistics {
  std::atomic<std::uint64_t> commits = 0;
  std::atomic<std::uint64_t> lost_connections = 0;
  std::atomic<std::uint64_t> lost_races = 0;
  std::atomic<std::uint64_t> resolved_commits = 0;  // those whose answer was lost
};

}  // namespace tavola::store
