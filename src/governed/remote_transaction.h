// One transaction of the engine on items that another server has: read, decide by the rule, write what the rule decided if everything
// that it looked at still is as it was seen; otherwise begin again.
//
//   read    what the rule asks for, strongly consistent; items that are likely new are guessed to be missing
//   decide  the rule, which is pure; it may ask for more
//   write   one action for each item that changes and one check for each that the rule only looked at (conditional_writes.h):
//           one action is a PutItem, UpdateItem or DeleteItem; several are one TransactWriteItems
//   lost    somebody changed an item in between: again, after a short pause, with the item that the failure shows
//
// DynamoDB compares at the moment of the write, serializable with all other writes. So it is as if the rule had been asked at that moment.
// A request that is refused or changes nothing sends no conditional write, which would show that its items are unchanged. If more than one
// item decided it, they are first read again in one transaction.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "governed/design_watch.h"
#include "governed/item_places.h"
#include "governed/request_hints.h"
#include "governed/seen_items.h"
#include "store/store.h"

namespace tavola::governed {

// After so many lost races the client gets TransactionConflict.
inline constexpr int kTriesMax = 200;

// How often things happened since the start, for metrics and tests. Thread safety: each count by itself.
struct WriteCounts {
  std::atomic<std::uint64_t> attempts = 0;
  std::atomic<std::uint64_t> lost_races = 0;
  std::atomic<std::uint64_t> wrong_guesses = 0;
  std::atomic<std::uint64_t> unknown_answers = 0;
};

class RemoteTransaction {
 public:
  struct Parts {
    Database& remote;
    const store::Store& local;  // for the guards
    const GovernedTables& governed;
    SchemaCache& schemas;
    const DesignWatch& watch;
    WriteCounts& counts;
  };
  struct Asked {
    std::span<const std::string> keys;
    std::span<const store::Guard> guards;
    const store::WriteRule& rule;
  };
  RemoteTransaction(const Parts& parts, const Asked& asked);
  RemoteTransaction(const RemoteTransaction&) = delete;
  RemoteTransaction& operator=(const RemoteTransaction&) = delete;

  // Fails as Store::transact does, and with Io or Internal if it is not known whether the write took effect.
  Result<void> run();

 private:
  enum class Step : std::uint8_t { Done, Again, Lost };

  // The latest result of the rule.
  struct Verdict {
    std::optional<Error> refusal{};
    std::vector<store::Write> writes{};
    std::vector<std::size_t> looked_at{};  // positions in seen_
  };
  // The actions of one write, and the positions in seen_ that they are about.
  struct Actions {
    std::vector<TransactWrite> actions;
    std::vector<std::size_t> positions;
    std::vector<std::optional<PackedItem>> after;  // of each
    bool changes = false;                          // not only checks
  };

  Result<void> check_guards() const;
  Result<void> check_designs(const Actions& actions) const;
  Result<void> add_keys(std::span<const std::string> keys, bool are_of_client);
  bool may_be_missing(const SeenItem& seen) const;

  Result<Step> attempt();
  Result<Verdict> decide();
  Result<Actions> actions_of(const Verdict& verdict);
  Result<Step> write(const Actions& actions);
  Result<Step> write_one(const Actions& actions);
  Result<Step> write_together(const Actions& actions);
  Result<void> send_one(const TransactWrite& action);
  Step lost(std::size_t position, const std::optional<PackedItem>& shown);
  Result<Step> lost_together(const Error& error, const Actions& actions);
  // Finds out whether a single write took effect whose answer was lost.
  Result<Step> resolve_by_item(const Actions& actions, const Error& error);

  const Parts parts_;
  const Asked asked_;
  TransactionTables tables_;
  SeenItems seen_;
  std::vector<std::size_t> view_;  // positions in seen_, as the rule counts its keys
  std::vector<store::RangeRead> ranges_;
  std::vector<store::RangeEntries> entries_;  // of ranges_, as far as they are read
  bool guesses_ = false;
  bool keys_are_of_client_ = true;  // those that the rule asks for first, after a token
};

}  // namespace tavola::governed
