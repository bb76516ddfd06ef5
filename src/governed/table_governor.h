// Which tables of the other server are governed, and by which designs. The engine has each of them without items (items_elsewhere.h), and
// the table itself has a record that tells all fronts its design:
//
//   {hash: $design#current, range: $design, name, revision, digest, text, enforcement, adopting}
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/locks.h"
#include "design/model/model.h"
#include "engine/engine.h"
#include "governed/design_facts.h"
#include "governed/design_watch.h"
#include "governed/remote_transaction.h"

namespace tavola::governed {

// Thread safety: all methods.
class TableGovernor {
 public:
  struct Options {
    std::optional<Enforcement> enforcement{};  // instead of the design's
    const Clock* lease_clock = &Clock::system();
    WatchTimes watch_times{};
    std::chrono::milliseconds index_lag = std::chrono::seconds(60);  // no index of DynamoDB is so late
  };
  // Borrows the server and the clock.
  TableGovernor(Database& remote, const Clock& clock, const Options& options);

  const std::string& name() const { return name_; }  // of this front, in leases
  engine::Engine& engine() { return engine_; }
  const GovernedTables& tables() const { return tables_; }
  const WriteCounts& counts() const { return counts_; }
  DesignWatch& watch() { return watch_; }
  const DesignWatch& watch() const { return watch_; }

  // Makes the table of a design ready: creates it if it is missing, and governs it if it is empty or has the design. A table with items
  // and without a design is left as it is: the design must take it over first. Fails with Validation if this front cannot keep the
  // design, or the table has another one.
  Result<void> prepare(const design::Design& design);
  // Returns whether the table is of a design that prepare() was called with, and not governed yet.
  bool awaits_design(std::string_view table_name) const;

  Result<GovernTableResponse> govern(const GovernTableRequest& request);
  // Has the engine know a table without a design, for a transaction with governed ones.
  Result<void> know(const std::string& table_name);
  // Has the engine follow a change of the indexes of a table.
  Result<void> follow_indexes(const UpdateTableRequest& request);
  Result<void> forget(const std::string& table_name);

 private:
  // The content of the record in a table.
  struct Stored {
    std::string name;
    std::string digest;
    bool adopting = false;
  };

  Result<TableDescription> create(const design::Design& design);
  Result<TableDescription> wait_until_active(const std::string& table_name);
  Result<void> mirror(const TableDescription& table);
  Result<bool> is_empty(const std::string& table_name);
  Result<void> check_transactions(const design::Design& design, const TableDescription& table);

  Result<std::string> digest_in_force(const std::string& table_name);
  Result<PackedItem> record_key(const TableDescription& table) const;
  // Stops all fronts that have another design: records the new one, and waits until they have read it.
  Result<void> announce(const design::Design& design, const TableDescription& table);
  Result<std::optional<Stored>> stored_design(const TableDescription& table);
  Result<void> store_design(const design::Design& design, const TableDescription& table, bool is_adopting);

  Database& remote_;
  const Options options_;
  const std::string name_;
  GovernedTables tables_;
  WriteCounts counts_;
  engine::Engine engine_;
  Mutex mutex_;  // of changes of the tables
  DesignWatch watch_;
  mutable SharedMutex awaited_mutex_;
  AttributeSet awaited_ TAVOLA_GUARDED_BY(awaited_mutex_);
};

}  // namespace tavola::governed
