// Which tables of the other server are governed, and by which designs. The engine has each of them without items (items_elsewhere.h), and
// the table itself has a record that tells all fronts its design:
//
//   {hash: $design#current, range: $design, $name, $revision, $digest, $file, $text, $adopting, $since, $next}
//
// `$next` is the digest of a design that is announced: it replaces the other one when all fronts know (design_watch.h).
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
  ~TableGovernor() { watch_.stop(); }  // it uses the engine
  TableGovernor(const TableGovernor&) = delete;
  TableGovernor& operator=(const TableGovernor&) = delete;

  Leases& leases() { return leases_; }
  const Clock& clock() const { return clock_; }
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

  // Gives the table a design, or its design another enforcement, that of this front alone. A design that replaces another one is in force
  // on all fronts before this returns, and none of them has written by the old one since the first did by the new one.
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
    std::string file;
    std::string text;
    bool adopting = false;
    WallTime since{};
    std::string next;  // digest; empty: none is announced

    DesignInForce in_force() const {
      return {.digest = digest, .is_adopting = adopting, .is_changing = adopting || !next.empty()};
    }
  };

  Result<TableDescription> create(const design::Design& design);
  Result<TableDescription> wait_until_active(const std::string& table_name);
  Result<void> mirror(const TableDescription& table);
  Result<bool> is_empty(const std::string& table_name);
  Result<void> check_transactions(const design::Design& design, const TableDescription& table);

  Result<DesignInForce> design_in_force(const std::string& table_name);
  Result<PackedItem> record_key(const TableDescription& table) const;
  Result<std::optional<Stored>> read_record(const std::string& table_name, const PackedItem& key);
  Result<std::optional<Stored>> stored_design(const TableDescription& table);
  // Writes the record. Fails with Validation if it has not been as `condition` says.
  enum class Record : std::uint8_t {
    New,  // the table has never had items without a design
    MissingOrSame,
    Announced
  };
  Result<void> store_design(const design::Design& design, const TableDescription& table, bool is_adopting,
                            Record expected = Record::MissingOrSame);
  // Notes the design of a table that has none, and waits until fronts with another one, whose record was deleted, have stopped.
  Result<void> claim(const design::Design& design, const TableDescription& table);
  Result<void> announce(const std::string& next, const TableDescription& table, const std::string& old);
  // Replaces the design in the record: announces it, and waits until no front writes by the old one.
  Result<void> replace(const design::Design& design, const TableDescription& table, const Stored& old,
                       bool is_adopting);
  // Has this front enforce a design, which has been in force since then.
  Result<GovernTableResponse> enforce(const GovernTableRequest& request, const TableDescription& table,
                                      WallTime since);
  // Notes what the engine enforces now.
  Result<void> note_enforced(const GovernTableResponse& governed, const std::string& table_name,
                             WallTime since);
  // Has this front enforce what the record says.
  Result<void> follow(const std::string& table_name);

  Database& remote_;
  const Clock& clock_;
  const Options options_;
  const std::string name_;
  GovernedTables tables_;
  WriteCounts counts_;
  DesignWatch watch_;
  Leases leases_;
  engine::Engine engine_;
  Mutex mutex_;  // of changes of the tables
  mutable SharedMutex awaited_mutex_;
  AttributeSet awaited_ TAVOLA_GUARDED_BY(awaited_mutex_);
};

}  // namespace tavola::governed
