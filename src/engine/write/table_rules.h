// The rules of a table decide the changes of a request. They are an interface, because write/ must not depend on design/:
// governed/design_rules.h implements it. A table without rules stores what its clients write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/records/schema.h"
#include "engine/write/item_write.h"
#include "store/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

// The inputs of a write besides its request.
struct WriteContext {
  WallTime now{};
  Random* random = nullptr;        // null: the system's. Rules get one that repeats its values in every call
  const Caller* caller = nullptr;  // null: the program itself
  bool as_is = false;              // the rules store what is written, and let nothing follow from it
  std::function<void()> on_unfinished{};  // called when a committed write left a job (records/job.h)
};

// A write of a request that changes its item, or would.
struct WantedChange {
  const ItemWrite& write;
  std::optional<ItemView> before;
  std::optional<ItemView> after;
};

// A change that the rules decided.
struct RuledChange {
  const TableSchema& table;        // the table of the rules, or the one it is paired with
  std::string key;                 // empty if is_wanted: then it is the key of the wanted change
  std::optional<ItemView> before;  // in the store's bytes
  std::optional<PackedItem> after;
  std::size_t cause;       // the position of the wanted change that it belongs to
  bool is_wanted = false;  // it is the item of that wanted change, and not one that changes with it
  bool expired = false;    // as in StoredChange
};

struct RuledChanges {
  // The wanted change at this position, and with it the request, is refused.
  struct Refusal {
    std::size_t cause;
    Error error;
  };
  // A broken rule that is counted and not refused.
  struct Warning {
    Error error;
    std::string key;  // of the item, as JSON
  };
  std::vector<RuledChange> changes;
  std::vector<Refusal> refusals;
  std::vector<Warning> warnings;
  std::vector<store::Write> jobs;  // records of what is left to do in the background
};

// Thread safety: all methods.
class TableRules {
 public:
  virtual ~TableRules() = default;

  // Appends keys that decide() reads for every such write, and others that it will probably read, so that it need not ask for them.
  virtual void append_first_keys(const ItemWrite& write, const WriteContext& context,
                                 std::vector<std::string>& keys) const = 0;

  // Decides the changes that one request wants of `table`, the table of these rules. Pure: it reads its
  // arguments alone.
  // When `reads` waits afterwards, the result is not to be used: the rules are asked again when more was read. Fails when the
  // request as a whole cannot be decided.
  struct Wanted {
    const TableSchema& table;
    std::span<const WantedChange> changes;
  };
  virtual Result<RuledChanges> decide(const Wanted& wanted, const WriteContext& context,
                                      store::RuleReads& reads) const = 0;

  // Counts the warnings of a decision that was committed.
  virtual void count(const std::vector<RuledChanges::Warning>& warnings) const = 0;

  // Returns when the item will be stuck in its state, in milliseconds since 1970; nothing when it never is.
  virtual std::optional<std::uint64_t> stuck_at(const ItemView& item) const = 0;
};

}  // namespace tavola::engine
