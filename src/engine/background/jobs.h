// Background jobs: the rest of a change that was too large for one transaction: copies, deletions with a deleted item,
// migrations, index builds and restores. A job is written with the change, and done in the background, also after a
// restart.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "design/model/model.h"
#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// Thread safety: run() by one thread at a time.
class Jobs {
 public:
  Jobs(store::Store& store, Catalog& catalog, const Clock& clock, Random& random, BackupShelf& shelf)
      : store_(store), catalog_(catalog), clock_(clock), random_(random), shelf_(shelf) {}

  // The caller: it may have to stop, and rests between portions for which others wait.
  struct Worker {
    std::function<bool()> stopping;
    std::function<void(std::chrono::steady_clock::duration)> rest;
    std::function<void(const Error&)> tell;  // gets every job that fails
  };
  // Runs the jobs; ends early if the worker must. A job that fails stays, and does not stop others.
  Result<void> run(const Worker& worker);
  // Returns whether the last run() left a migration, an index build or a restore unfinished: these run only for a
  // while, so that others have their turn.
  bool goes_on() const { return goes_on_; }

 private:
  Result<void> run_one(const std::string& key, std::string_view record, const Worker& worker);
  Result<bool> make_some_copies(const TableSchema& table, const std::string& key);
  Result<bool> adopt_items(const TableSchema& table, const std::string& key, std::string_view record,
                           const std::function<bool()>& stopping);
  Result<void> adopt(const TableSchema& table, const std::string& stored_key, const std::string& right_key);
  Result<void> copy_for_a_while(const std::string& name, const std::string& key,
                                const std::function<bool()>& stopping);
  Result<void> build_for_a_while(const std::string& name, TableId id, const Worker& worker);
  Result<bool> delete_rest(const TableSchema& table, const std::string& key, std::string_view record,
                           const std::function<bool()>& stopping);
  Result<bool> has_come_back(const TableSchema& table, const Item& job) const;
  Result<void> delete_by(const design::Cascade& cascade, const TableSchema& table, const Item& found);

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  BackupShelf& shelf_;
  bool goes_on_ = false;
};

}  // namespace tavola::engine
