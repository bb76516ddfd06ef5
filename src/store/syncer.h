// Syncer: one thread that syncs the log for all waiters, as many as possible with one sync.
//
// A position is a number that grows with every write. A waiter's position is taken when it arrives; a sync covers
// everything written before it started.
//
// Writers that were just answered mostly return at once with their next write. Without waiting for them, one half of
// the writers would write while the other half is synced: twice as many syncs, each of them slower because the log
// grows in the meantime. So a sync waits for as many waiters as were answered, but not longer than half of the duration
// of the last sync.
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

// Thread safety: all methods; the destructor requires that no other method is running. Invariants: (1) Everything at or
// below durable_ is on disk. (2) durable_ reaches a position only after the queued waiters for it were called, so that
// no later one overtakes them.
class Syncer {
 public:
  using Position = std::uint64_t;
  using Done = std::function<void(Result<void>)>;

  // May be called from any thread.
  struct Log {
    // Returns a position: all writes up to it are in the log, and no reader sees one above it.
    std::function<Position()> written;
    // Syncs everything written before the call. After a failure it is called again for the next waiter.
    std::function<Result<void>()> sync;
  };

  // The current contents of the log must be on disk already.
  explicit Syncer(Log log);
  ~Syncer();  // answers all waiters
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
  std::size_t expected_ TAVOLA_GUARDED_BY(mutex_) = 1;  // this many waiters wake the thread
  bool stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::condition_variable_any changed_;
  std::chrono::steady_clock::duration patience_{};  // used by the thread only
  std::thread thread_;                              // last: it uses all others
};

}  // namespace tavola::store
