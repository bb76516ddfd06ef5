// Time to live: an item leaves its table when the time in one of its attributes has passed.
//
//   PutItem ──▶ item + an entry "expires at S: this item" (keys.h), in the same transaction
//   Sweeper ──▶ the entries that are due, in the order of time ──▶ deletes their items
//
// So a sweep costs what expires and not what is stored. Items that were there before time to live was switched on get
// their entries from the sweeper: a marker in the catalog stays until all are collected, also across a restart.
// Until an item is swept it is read as any other, as on AWS.
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

// UpdateTimeToLive: what is wrong with the request itself, and what it does, for Catalog::update.
Result<void> check_time_to_live(const UpdateTimeToLiveRequest& request);
Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request, Random& random);

// Removes what has expired, old request tokens and old changes (stream_catalog.h); does what large changes left to do (jobs.h).
//
// Thread safety: all methods; start() is called once at most. The destructor ends the thread: at the next batch of
// items when it is busy, at once when it waits.
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

  // Sweeps every five seconds in a thread of its own. `tell` hears of everything that fails, once for as long as it fails so.
  using Tell = std::function<void(const std::string& why)>;
  void start(Tell tell = {});
  // One pass: whatever has expired when a table's turn comes is gone when it returns, but for tables that changed
  // meanwhile; those have their turn in the next pass. What fails is told, and does not keep other tables waiting.
  Result<void> sweep();
  // What large changes left to do, now.
  Result<void> finish_jobs();
  // Does not wait for the next five seconds: there is work left (jobs.h).
  void wake();

  // Since the start.
  struct Totals {
    std::uint64_t expired_items = 0;
    std::uint64_t failed_passes = 0;
  };
  Totals totals() const { return {expired_.load(), failures_.load()}; }

 private:
  struct Collecting {
    TableId table;
    std::string name;
    std::string mark;  // its value: another one each time that time to live is switched on
  };
  // Also when one of the records is damaged, which `outcome` then tells.
  std::vector<Collecting> tables_to_collect(Result<void>& outcome) TAVOLA_REQUIRES(sweeping_);
  std::vector<std::string> tables_to_sweep(Result<void>& outcome) TAVOLA_REQUIRES(sweeping_);
  Result<void> collect(const Collecting& collecting);
  Result<void> sweep_table(std::string_view name) TAVOLA_REQUIRES(sweeping_);
  Result<void> expire_group(const TableSchema& table, const std::vector<Expiry>& due)
      TAVOLA_REQUIRES(sweeping_);
  Result<void> forget_tokens() TAVOLA_REQUIRES(sweeping_);
  Result<void> forget_changes() TAVOLA_REQUIRES(sweeping_);
  // The first error of a pass. That a table changed meanwhile is none: the next pass goes on.
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
  std::set<std::string> was_failing_ TAVOLA_GUARDED_BY(sweeping_);  // in the last one: is known
  std::jthread thread_;                                             // ends first: it uses the others
};

}  // namespace tavola::engine
