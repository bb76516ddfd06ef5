// Time to live: an item leaves its table when the time in one of its attributes has passed.
//
//   PutItem ──▶ item + an entry "expires at S: this item" (keys.h), in the same transaction
//   Sweeper ──▶ the entries that are due, in the order of time ──▶ deletes their items
//
// So a sweep costs what expires and not what is stored. Items that were there before time to live was switched on get
// their entries from the sweeper: a marker in the catalog stays until all are collected, also across a restart.
// Until an item is swept it is read as any other, as on AWS.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "engine/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// Appends the writes that turn the expiry of `before` into that of `after`. The table has a time to live.
void change_expiry(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                   const std::optional<ItemView>& after, std::vector<store::Write>& writes);

// UpdateTimeToLive, for Catalog::update.
Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request);

// Thread safety: all methods.
class Sweeper {
 public:
  Sweeper(store::Store& store, Catalog& catalog, const Clock& clock)
      : store_(store), catalog_(catalog), clock_(clock) {}
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // Sweeps every five seconds in a thread of its own.
  void start();
  // One pass: whatever has expired by now is gone when it returns. Also forgets old request tokens.
  Result<void> sweep();

 private:
  Result<void> collect(std::string_view table_name, TableId id);
  Result<void> sweep_table(const TableSchema& table);
  Result<void> forget_tokens();
  bool stopping() const { return stop_.stop_requested(); }

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::stop_source stop_;
  WallTime tokens_forgotten_{};  // used by sweep() only, under sweeping_
  std::mutex sweeping_;          // one sweep at a time
  std::jthread thread_;
};

}  // namespace tavola::engine
