// One transaction on PostgreSQL, in two round trips:
//
//   1  BEGIN; advisory locks of the keys (exclusive) and of the guards (shared), all in one order; reads the keys, ranges and guards
//      the rule decides
//   2  writes; COMMIT
//
// The locks are held until the commit is acknowledged, as on one machine (store/README.md). If the rule asks for more, everything
// begins again with more locks.
//
// A commit whose answer was lost. Every transaction also writes a mark of its own, under a key of its connection. On a new connection
// pg_xact_status tells when the old transaction has ended; then the mark tells how. The status alone would not do: after a crash or a
// failover PostgreSQL uses the numbers of transactions that it lost again. Then either it is done, or the rule is asked again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/marks.h"
#include "store/postgres/pool.h"
#include "store/postgres/snapshot.h"
#include "store/postgres/statistics.h"
#include "store/store.h"
#include "store/transaction.h"

namespace tavola::store {

class OpenTransaction;  // on a connection; rolled back at the end unless it was committed

class PostgresTransaction {
 public:
  struct Parts {
    Pool& pool;
    Marks& marks;
    Statistics& statistics;
    std::uint64_t lock_seed;
    std::chrono::milliseconds patience;  // until the server must be back
  };
  PostgresTransaction(const Parts& parts, const Transaction& transaction)
      : parts_(parts), transaction_(transaction), reads_(transaction.keys) {}

  // As Store::transact.
  Result<void> run();

 private:
  enum class Step : std::uint8_t { Done, Again };

  Result<Step> attempt();
  void add_locks(Connection& connection);
  void add_reads(Connection& connection);
  Result<void> check_locks(const Rows& rows) const;
  Result<void> check_guards(const Rows& rows) const;
  Result<std::vector<std::optional<std::string>>> keys_in(const Rows& rows) const;
  Result<std::vector<RangeEntries>> read_ranges(Connection& connection) const;
  Result<Step> commit(OpenTransaction& open, std::span<const Write> writes, std::int64_t transaction_id);
  Result<Step> resolve(const Marks::Mark& mark, std::int64_t transaction_id);
  // Returns whether the transaction took effect; nothing while it is still running.
  Result<std::optional<bool>> look_up(const Marks::Mark& mark, std::int64_t transaction_id);

  const Parts parts_;
  const Transaction transaction_;
  TransactionReads reads_;
};

// Adds the statements of these writes, in their order.
void add_writes(Connection& connection, std::span<const Write> writes, std::int16_t slot);

}  // namespace tavola::store
