// Time to live: an item is removed from its table when the time in one of its attributes has passed.
//
//   PutItem ──▶ item + an entry "expires at S: this item" (keys.h), in the same transaction
//   Sweeper ──▶ the due entries, in the order of time ──▶ deletes their items
//
// So a sweep costs what expires and not what is stored. Items from before time to live was switched on get their
// entries from the sweeper: a marker in the catalog stays until all are collected, also across a restart. Until an item
// is swept it is read like any other, as on AWS.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/locks.h"
#include "engine/background/jobs.h"
#include "engine/catalog/catalog.h"
#include "engine/records/keys.h"
#include "store/store.h"

namespace tavola::engine {

// UpdateTimeToLive: checks the request itself, and returns the change for Catalog::update.
Result<void> check_time_to_live(const UpdateTimeToLiveRequest& request);
Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request, Random& random);

// Removes expired items, old request tokens and old changes (stream_catalog.h), and runs the jobs that large changes
// left (jobs.h).
//
// Thread safety: all methods; start() is called at most once. The destructor ends the thread: at the next batch of
// items if it is busy, at once if it waits.
class Sweeper {
 public:
  Sweeper(store::Store& store, Catalog& catalog, const Clock& clock, Random& random, BackupShelf& shelf)
      : store_(store),
        catalog_(catalog),
        clock_(clock),
        random_(random),
        shelf_(shelf),
        jobs_(store, catalog, clock, random, shelf) {}
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // Sweeps every five seconds in its own thread. `tell` gets every failure, once while it lasts.
  using Tell = std::function<void(const std::string& why)>;
  void start(Tell tell = {});
  // Does one pass: removes everything that has expired when a table's turn comes, except in tables that changed
  // concurrently; those have their turn in the next pass. A failure is reported, and does not delay other tables.
  Result<void> sweep();
  // Runs the jobs now.
  Result<void> finish_jobs();
  // Ends the current wait: there is work left (jobs.h).
  void wake();

  // Counts since the start.
  struct Totals {
    std::uint64_t expired_items = 0;
    std::uint64_t failed_passes = 0;
  };
  Totals totals() const { return {expired_.load(), failures_.load()}; }

 private:
  struct Collecting {
    TableId table;
    std::string name;
    std::string mark;  // its value: a new one each time that time to live is switched on
  };
  // Returns the others if one of the records is damaged, which `outcome` then reports.
  std::vector<Collecting> tables_to_collect(Result<void>& outcome) TAVOLA_REQUIRES(sweeping_);
  std::vector<std::string> tables_to_sweep(Result<void>& outcome) TAVOLA_REQUIRES(sweeping_);
  Result<void> collect(const Collecting& collecting);
  Result<void> sweep_table(std::string_view name) TAVOLA_REQUIRES(sweeping_);
  Result<void> expire_group(const TableSchema& table, const std::vector<Expiry>& due)
      TAVOLA_REQUIRES(sweeping_);
  Result<void> forget_tokens() TAVOLA_REQUIRES(sweeping_);
  Result<void> forget_changes() TAVOLA_REQUIRES(sweeping_);
  // Records the first error of a pass. A table that changed concurrently does not count: the next pass handles it.
  void note(Result<void>& outcome, const Result<void>& result) TAVOLA_REQUIRES(sweeping_);
  void tell(const Error& error) TAVOLA_REQUIRES(sweeping_);
  void wait(std::chrono::steady_clock::duration time);  // ends early when stopping
  void rest(std::chrono::steady_clock::duration time);  // not even wake() ends it
  Jobs::Worker worker();
  bool stopping() const { return stop_.stop_requested(); }

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  BackupShelf& shelf_;
  Jobs jobs_;
  bool has_work_ = false;  // under mutex_
  std::stop_source stop_;
  std::mutex mutex_;  // for woken_ alone
  std::condition_variable_any woken_;
  std::atomic<std::uint64_t> expired_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  Mutex sweeping_;  // one sweep at a time
  WallTime tokens_forgotten_ TAVOLA_GUARDED_BY(sweeping_){};
  WallTime changes_forgotten_ TAVOLA_GUARDED_BY(sweeping_){};
  Tell tell_ TAVOLA_GUARDED_BY(sweeping_);
  std::set<std::string> failing_ TAVOLA_GUARDED_BY(sweeping_);      // in this pass
  std::set<std::string> was_failing_ TAVOLA_GUARDED_BY(sweeping_);  // in the last one: already reported
  std::jthread thread_;                                             // ends first: it uses the others
};

}  // namespace tavola::engine
