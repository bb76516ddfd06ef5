// Syncer: one thread that syncs the log for all who wait, as many as there are with one sync.
//
// A position is a number that grows with every write. Whoever waits has its position taken when it comes; a sync
// covers what was written when it began.
//
// Those who were just answered mostly come back at once with their next write. Without waiting for them, half of the
// writers would be written for while the other half is synced, twice as many syncs, and each of them slower because
// the log grows meanwhile. So a sync waits for as many as were answered, but not longer than half of what the last
// sync took.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <tavola/error.h>

#include "base/locks.h"

namespace tavola::store {

// Thread safety: all methods; whoever ends it must know that no other method is running.
// Invariants: (1) what is at or below durable_ is on the disk. (2) durable_ reaches a position only after those who
// wait for it in the queue were called, so that nobody overtakes them.
class Syncer {
 public:
  using Position = std::uint64_t;
  using Done = std::function<void(Result<void>)>;

  // Called from any thread.
  struct Log {
    // All writes up to it are in the log, and no reader sees one above it.
    std::function<Position()> written;
    // Brings all that was written before the call to the disk. After a failure it is called again for who comes next.
    std::function<Result<void>()> sync;
  };

  // What the log has now is on the disk already.
  explicit Syncer(Log log);
  ~Syncer();  // answers all who wait
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // As Store::when_durable.
  void when_durable(Done done);

 private:
  struct Waiter {
    Position position;
    Done done;
  };

  void run();
  std::optional<std::vector<Waiter>> next_waiters(std::size_t answered);
  void serve(const std::vector<Waiter>& waiters);

  const Log log_;
  std::atomic<Position> durable_;
  Mutex mutex_;
  std::vector<Waiter> waiters_ TAVOLA_GUARDED_BY(mutex_);
  std::size_t expected_ TAVOLA_GUARDED_BY(mutex_) = 1;  // so many waiters wake the thread
  bool stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::condition_variable_any changed_;
  std::chrono::steady_clock::duration patience_{};  // the thread's own
  std::thread thread_;                              // last: it uses all the others
};

}  // namespace tavola::store
