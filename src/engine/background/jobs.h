// Background jobs: the rest of a change that was too large for one transaction: copies, deletions with a deleted item,
// the adoption of existing items by a design, migrations, index builds and restores. A job is written with the change, and done in the background, also after a
// restart.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "design/model/model.h"
#include "design/rules/cascade.h"
#include "engine/background/pass.h"
#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// Thread safety: run() by one thread at a time.
class Jobs {
 public:
  Jobs(store::Store& store, Catalog& catalog, const Clock& clock, Random& random, CheckpointShelf& shelf)
      : store_(store), catalog_(catalog), clock_(clock), random_(random), shelf_(shelf) {}

  // Runs the jobs; ends early if the pass must. A job that fails stays, and does not stop others.
  Result<void> run(const BackgroundPass& pass);
  // Returns whether the last run() left a migration, an index build or a restore unfinished: these run only for a
  // while, so that others have their turn.
  bool goes_on() const { return goes_on_; }

 private:
  Result<void> run_one(const std::string& key, std::string_view record, const BackgroundPass& pass);
  Result<bool> make_some_copies(const TableSchema& table, const std::string& key);
  Result<bool> adopt_items(const TableSchema& table, const std::string& key, std::string_view record,
                           const std::function<bool()>& stopping);
  Result<void> adopt(const TableSchema& table, const std::string& stored_key, const std::string& right_key);
  Result<void> copy_for_a_while(const std::string& name, const std::string& key,
                                const std::function<bool()>& stopping);
  Result<void> build_for_a_while(const std::string& name, TableId id, const BackgroundPass& pass);
  Result<bool> follow_deletion(const TableSchema& table, const std::string& key, std::string_view record,
                               const std::function<bool()>& stopping);
  Result<bool> has_come_back(const TableSchema& table, const Item& job) const;
  bool may_appear_later(const design::Design& design, std::span<const design::Cascade> cascades,
                        const Item& job) const;
  // A deleted item, and how the items that name it follow.
  struct Following {
    const design::Cascade& cascade;
    const design::Gone& gone;
  };
  // Writes all that it can; fails as the first item that cannot follow.
  Result<void> change_along(const TableSchema& table, const Following& following,
                            std::span<const PackedItem> found);
  Result<void> write_along(const TableSchema& table, const Following& following,
                           std::span<const std::string> keys);

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  CheckpointShelf& shelf_;
  bool goes_on_ = false;
};

}  // namespace tavola::engine
