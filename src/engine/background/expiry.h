// Time to live: an item is removed from its table when the time in one of its attributes has passed.
//
//   PutItem ──▶ item + an entry "expires at S: this item" (keys.h), in the same transaction
//   a sweep ──▶ the due entries, in the order of time ──▶ deletes their items
//
// So a sweep costs what expires and not what is stored. Items from before time to live was switched on get their
// entries from a sweep: a marker in the catalog stays until all are collected, also across a restart. Until an item
// is swept it is read like any other, as on AWS.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engine/background/pass.h"
#include "engine/catalog/catalog.h"
#include "engine/records/keys.h"
#include "store/store.h"

namespace tavola::engine {

// UpdateTimeToLive: checks the request itself, and returns the change for Catalog::update.
Result<void> check_time_to_live(const UpdateTimeToLiveRequest& request);
Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request, Random& random);

// Removes the items whose time to live has passed.
//
// Thread safety: run() by one thread at a time, expired_items() from any.
class ExpirySweep {
 public:
  ExpirySweep(store::Store& store, Catalog& catalog, const Clock& clock, Random& random)
      : store_(store), catalog_(catalog), clock_(clock), random_(random) {}

  // Removes everything that has expired when a table's turn comes, except in tables that changed concurrently. A failure
  // does not delay other tables; the first one is returned.
  Result<void> run(const BackgroundPass& pass);

  std::uint64_t expired_items() const { return expired_.load(std::memory_order_relaxed); }

 private:
  struct Collecting {
    TableId table;
    std::string name;
    std::string mark;  // its value: a new one each time that time to live is switched on
  };
  // These return the others if one of the records is damaged, which `outcome` then reports.
  std::vector<Collecting> tables_to_collect(const BackgroundPass& pass, Result<void>& outcome);
  std::vector<std::string> tables_to_sweep(const BackgroundPass& pass, Result<void>& outcome);
  Result<void> collect(const BackgroundPass& pass, const Collecting& collecting);
  Result<void> sweep_table(const BackgroundPass& pass, std::string_view name);
  Result<void> expire_group(const BackgroundPass& pass, const TableSchema& table,
                            const std::vector<Expiry>& due);

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  std::atomic<std::uint64_t> expired_ = 0;
};

}  // namespace tavola::engine
