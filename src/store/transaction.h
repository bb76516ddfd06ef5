// Runs a transaction of a store on one machine: lock, check the guards, read, call the rule, commit. The store provides
// four functions, all called with the locks held:
//
//   Result<bool> holds(const Guard&)                              does the guard's key still have that value?
//   Result<SomeView> read(std::span<const std::string> keys)      their current values, as a View
//   std::unique_ptr<Snapshot> snapshot()                          for ranges
//   Result<void> commit(std::span<const Write> writes)            all of them, in order, or none; no Append is among them
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/append_order.h"
#include "store/key_locks.h"
#include "store/store.h"

namespace tavola::store {

// Maximum calls of a rule. Concurrent writers may change the keys that a rule needs between two calls; this allows for
// a hundred of them.
inline constexpr int kRuleCallsMax = 200;

// The keys and ranges that a transaction reads. They grow when its rule asks for more. The caller's keys are not copied until
// then.
class TransactionReads {
 public:
  explicit TransactionReads(std::span<const std::string> keys) : keys_(keys) {}
  TransactionReads(const TransactionReads&) = delete;
  TransactionReads& operator=(const TransactionReads&) = delete;

  std::span<const std::string> keys() const { return keys_; }
  std::span<const RangeRead> ranges() const { return ranges_; }
  void extend(Decision incomplete);

 private:
  std::span<const std::string> keys_;
  std::vector<std::string> owned_keys_;
  std::vector<RangeRead> ranges_;
};

// Returns the entries that a range read asks for, from a cursor over its range.
Result<RangeEntries> first_entries(Cursor& cursor, const RangeRead& read);
Result<std::vector<RangeEntries>> read_ranges(const Snapshot& snapshot, std::span<const RangeRead> ranges);

// Fails with Internal when a write breaks the store's contract, before anything is written.
Result<void> check_writes(std::span<const Write> writes);
Error guard_is_stale();
Error rule_is_never_done();

// The arguments of Store::transact.
struct Transaction {
  std::span<const std::string> keys;
  std::span<const Guard> guards;
  const WriteRule& rule;
  Contention contention;
};

// State shared by all transactions of a store.
struct TransactionOrder {
  KeyLocks locks;
  AppendOrder appends;
};

// Tries once. Returns true when the transaction is done, false when `reads` were extended and it must run again.
template <class Parts>
Result<bool> try_transaction(Parts& parts, TransactionOrder& order, TransactionReads& reads,
                             const Transaction& transaction) {
  TAVOLA_TRY(const KeyLocks::Held held,
             order.locks.hold(reads.keys(), transaction.guards, transaction.contention));
  for (const Guard& guard : transaction.guards) {
    TAVOLA_TRY(const bool holds, parts.holds(guard));
    if (!holds) return fail(guard_is_stale());
  }
  TAVOLA_TRY(auto view, parts.read(reads.keys()));
  if (!reads.ranges().empty()) {
    TAVOLA_TRY(std::vector<RangeEntries> ranges, read_ranges(*parts.snapshot(), reads.ranges()));
    view.set_ranges(std::move(ranges));
  }
  TAVOLA_TRY(Decision decision, transaction.rule(view));
  if (decision.is_incomplete()) {
    reads.extend(std::move(decision));
    return false;
  }
  if (decision.writes.empty()) return true;
  TAVOLA_CHECK(check_writes(decision.writes));
  TAVOLA_TRY(const AppendOrder::Ticket ticket, order.appends.number(decision.writes));
  TAVOLA_CHECK(parts.commit(decision.writes));
  return true;
}

template <class Parts>
Result<void> run_transaction(Parts& parts, TransactionOrder& order, const Transaction& transaction) {
  TransactionReads reads(transaction.keys);
  for (int calls = 0; calls < kRuleCallsMax; ++calls) {
    TAVOLA_TRY(const bool done, try_transaction(parts, order, reads, transaction));
    if (done) return {};
  }
  return fail(rule_is_never_done());
}

}  // namespace tavola::store
