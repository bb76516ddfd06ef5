// What is left of a change that was too large for one transaction: copies to be made, and what goes with a deleted item. It is
// written with the change, and done in the background, also after a restart.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "design/govern_writes.h"
#include "engine/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// The record of a job: a packed item (docs/FORMAT.md, "Jobs").
Result<std::string> encode_job(const TableSchema& table, const design::GovernedWrites::Rest& rest);
// Of a table that has got a design: records of our own that lie among its items are put where they belong, and what may be
// stuck is watched.
Result<std::string> encode_adoption(const std::string& table_name);

// Thread safety: run() by one thread at a time.
class Jobs {
 public:
  Jobs(store::Store& store, Catalog& catalog, const Clock& clock, Random& random)
      : store_(store), catalog_(catalog), clock_(clock), random_(random) {}

  // Does what is left; ends early when `stopping` says so. A job that fails stays, and does not keep others from being done.
  Result<void> run(const std::function<bool()>& stopping);
  // Whether the last run() left a migration that goes on: it copies for a while only, so that others have their turn.
  bool is_copying() const { return is_copying_; }

 private:
  Result<void> run_one(const std::string& key, std::string_view record,
                       const std::function<bool()>& stopping);
  Result<bool> make_some_copies(const TableSchema& table, const std::string& key);
  Result<bool> adopt_items(const TableSchema& table, const std::string& key,
                           const std::function<bool()>& stopping);
  Result<void> adopt(const TableSchema& table, const std::string& item_key);
  Result<void> copy_for_a_while(const std::string& name, const std::string& key,
                                const std::function<bool()>& stopping);
  Result<bool> delete_some(const TableSchema& table, const std::string& key, const Item& job);

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  bool is_copying_ = false;
};

}  // namespace tavola::engine
