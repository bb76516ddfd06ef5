// Syncer: one thread that syncs the log for all who wait, as many as there are with one sync.
//
// A position is a number that grows with every write. Whoever waits has its position taken when it comes; a sync
// covers what was written when it began.
#pragma once

#include <atomic>
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
// wait for it in the queue were called, so that nobody overtakes them. (3) After a failed sync there is no other one.
class Syncer {
 public:
  using Position = std::uint64_t;
  using Done = std::function<void(Result<void>)>;

  // Both are called from any thread.
  struct Log {
    // All writes up to it are in the log, and no reader sees one above it.
    std::function<Position()> written;
    // Brings all that was written before the call to the disk.
    std::function<Result<void>()> sync;
  };

  // What the log has now is on the disk already.
  explicit Syncer(Log log);
  ~Syncer();  // answers all who wait
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // As Store::when_durable.
  void when_durable(Done done);

  // The error of the sync that failed, if one did.
  Result<void> status() const;

  // What is on the disk for certain.
  Position durable() const { return durable_.load(std::memory_order_acquire); }

 private:
  struct Waiter {
    Position position;
    Done done;
  };

  void run();
  std::vector<Waiter> next_waiters();
  void serve(std::vector<Waiter> waiters);
  void remember(const Error& error);

  const Log log_;
  std::atomic<Position> durable_;
  std::atomic<bool> failed_ = false;  // error_ is there
  mutable Mutex mutex_;
  std::vector<Waiter> waiters_ TAVOLA_GUARDED_BY(mutex_);
  std::optional<Error> error_ TAVOLA_GUARDED_BY(mutex_);
  bool stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::condition_variable_any changed_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace tavola::store
