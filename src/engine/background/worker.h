// The thread that does all background work: it removes expired items (expiry.h), old request tokens and old changes
// (old_changes.h), and runs the jobs that large changes left (jobs.h).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/locks.h"
#include "base/random.h"
#include "engine/background/expiry.h"
#include "engine/background/jobs.h"
#include "engine/background/pass.h"
#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// Thread safety: all methods; start() is called at most once. The destructor ends the thread: at the next portion of
// work if it is busy, at once if it waits.
class BackgroundWorker {
 public:
  BackgroundWorker(store::Store& store, Catalog& catalog, const Clock& clock, Random& random,
                   CheckpointShelf& shelf)
      : store_(store),
        clock_(clock),
        shelf_(shelf),
        expiry_(store, catalog, clock, random),
        jobs_(store, catalog, clock, random, shelf) {}
  ~BackgroundWorker();
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;

  // Does a pass every five seconds in its own thread. `report` gets every failure, once while it lasts.
  using Report = std::function<void(const std::string& why)>;
  void start(Report report = {});
  // Does one pass. A failure is reported and does not delay other work; the first one is returned.
  Result<void> run_pass();
  // Runs the jobs now.
  Result<void> finish_jobs();
  // Runs the jobs now, for at most this time. Returns whether all are done.
  Result<bool> finish_jobs(std::chrono::milliseconds time);
  // Does `work` between two passes. A pass that runs ends at its next portion.
  Result<void> while_idle(const std::function<Result<void>()>& work);
  // Ends the current wait: there is work left.
  void wake();

  // Counts since the start.
  struct Totals {
    std::uint64_t expired_items = 0;
    std::uint64_t failed_passes = 0;
  };
  Totals totals() const { return {expiry_.expired_items(), failures_.load()}; }

 private:
  Result<void> forget_tokens() TAVOLA_REQUIRES(working_);
  Result<void> forget_changes(const BackgroundPass& pass) TAVOLA_REQUIRES(working_);
  void report(const Error& error) TAVOLA_REQUIRES(working_);
  void wait(std::chrono::steady_clock::duration time);  // ends early when there is work, and when stopping
  void rest(std::chrono::steady_clock::duration time);  // ends early only when stopping
  BackgroundPass pass();
  bool stopping() const { return stop_.stop_requested() || waiting_ > 0; }

  store::Store& store_;
  const Clock& clock_;
  CheckpointShelf& shelf_;
  ExpirySweep expiry_;
  Jobs jobs_;
  std::stop_source stop_;
  std::mutex mutex_;       // for woken_ and has_work_ alone
  bool has_work_ = false;  // guarded by mutex_
  std::condition_variable_any woken_;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<int> waiting_ = 0;  // calls of while_idle() that wait for the end of a pass
  Mutex working_;                 // one pass at a time
  WallTime tokens_forgotten_ TAVOLA_GUARDED_BY(working_){};
  WallTime changes_forgotten_ TAVOLA_GUARDED_BY(working_){};
  Report report_ TAVOLA_GUARDED_BY(working_);
  std::set<std::string> failing_ TAVOLA_GUARDED_BY(working_);      // in this pass
  std::set<std::string> was_failing_ TAVOLA_GUARDED_BY(working_);  // in the last one: already reported
  std::jthread thread_;                                            // ends first: it uses the others
};

}  // namespace tavola::engine
