// How far readers of appends may go (Store::settled), without a lock that appends hold until their commit.
//
// A transaction takes the numbers of its appends from a sequence after it got its own number, which PostgreSQL calls xid. So, if the sequence
// stood at `number` before the transaction `xid` began:
//
//   every transaction after `xid` appends above `number`      (its xid, and then its numbers, came later)
//   every transaction up to `xid` has ended once the oldest that runs (pg_snapshot_xmin) is newer
//
// Such a pair is a mark. When nothing older runs, the mark just taken holds at once; otherwise an earlier one does. A number is only reported
// if an append with it, or one above it, is visible, and so durable: after a failover the sequence goes on above those. And marks only hold on
// the connection on which they were taken, because no connection outlives a crash, after which numbers of transactions are used again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "base/locks.h"
#include "store/postgres/pool.h"

namespace tavola::store {

// Thread safety: all methods.
class SettledAppends {
 public:
  explicit SettledAppends(Pool& pool) : pool_(pool) {}
  Result<std::uint64_t> settled(std::string_view prefix);

 private:
  struct Mark {
    std::int64_t number;
    std::int64_t transaction;
  };
  Result<std::uint64_t> find(std::string_view prefix) TAVOLA_REQUIRES(mutex_);
  void remember(const Mark& mark) TAVOLA_REQUIRES(mutex_);
  // Returns the number of the newest mark whose transactions have all ended.
  std::optional<std::int64_t> newest_ended(std::int64_t oldest_running) TAVOLA_REQUIRES(mutex_);

  Pool& pool_;
  Mutex mutex_;
  std::optional<Pool::Lent> connection_ TAVOLA_GUARDED_BY(mutex_);
  std::deque<Mark> marks_
      TAVOLA_GUARDED_BY(mutex_);  // taken on connection_, in the order of their transactions
};

}  // namespace tavola::store
