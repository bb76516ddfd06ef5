// Drift: the differences between a table and its design, found and, on request, repaired.
//
// The table is read by one Scan, and a further one for counters, which are counted anew. The items that must exist
// beside an item (copies, unique guards, targets of references) are read by key, and so is the source of a copy. Memory
// is bounded whatever the size of the table: counters are kept for at most `totals_max` items at a time, and the table
// is read once more for every further share of them.
//
// Clients may write concurrently. An item that looks wrong is read again before it is reported, and a counter is
// counted twice; a repair is conditional on all of its inputs being unchanged, and is computed again otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "drift/requests_seen.h"

namespace tavola::drift {

enum class DriftRule : std::uint8_t {
  Table,               // its keys, indexes, projections or time to live differ
  UnmatchedItem,       // an item of no entity
  Field,               // a field that breaks the design
  DerivedValue,        // a stored value differs from the computed one
  IndexKey,            // an index key differs from the computed one
  EntityAttribute,     // the entity attribute differs from the computed one
  StateKey,            // the key of a state is invalid, or contradicts the fields
  CopyMissing,         // a mirror or a fanout without its item
  CopyDifferent,       // its item differs from its source
  CopyOrphaned,        // its source is missing, or has no such copy
  Counter,             // a count or a sum is not that of all sources
  GuardMissing,        // the guard of a unique value is missing
  GuardOrphaned,       // a unique guard whose holder is missing or has another value
  NotUnique,           // a unique value that two items have
  Reference,           // the target of a reference is missing
  PatternUnused,       // no request uses the pattern
  RequestUnexplained,  // a Query or a Scan that no pattern explains
};
std::string_view name_of(DriftRule rule);  // "copy-missing"
// Returns whether the rule is about the use of the table (the last two): its content is correct.
bool is_about_use(DriftRule rule);

struct DriftSample {
  Item key{};          // empty: not about an item
  std::string text{};  // the actual and the expected value
};

struct DriftFinding {
  DriftRule rule = DriftRule::Table;
  std::string about{};  // "Product.sku", "GSI1PK of Sale", the name of a copy or a pattern; empty: the table
  std::uint64_t count = 0;
  std::uint64_t computable = 0;  // their correct values can be computed, and a repair writes them
  std::uint64_t mended = 0;
  std::vector<DriftSample> samples{};
  std::string why_left{};  // why the first remaining one was not repaired, if a repair was requested
};

struct DriftReport {
  std::string design{};
  std::string table{};
  std::uint64_t items = 0;
  std::uint64_t items_to_write = 0;  // with attributes that a repair sets or removes
  bool repair = false;
  std::vector<DriftFinding> findings{};  // in the order of the rules, then of their subjects
  std::vector<std::string> notes{};      // the parts that were not checked, and why

  // Returns whether an unrepaired difference is left.
  bool has_drift() const;
};

struct DriftProgress {
  std::string_view doing;      // "reading", "counting"
  std::uint64_t items = 0;     // items so far
  std::uint64_t expected = 0;  // approximate total; 0: unknown
};

struct DriftOptions {
  bool repair = false;
  std::size_t samples_max = 5;  // of each finding
  std::size_t totals_max = 200'000;
  bool checks_use = true;                          // also reports how the table is used, by `requests`
  const drift::RequestCounts* requests = nullptr;  // null: not known, which a note says
  std::function<void(const DriftProgress&)> progress{};
  std::function<bool()> stopping{};  // empty: never. Otherwise find_drift fails with Io when it returns true
  const Clock* clock = &Clock::system();
};

// Fails as the database does: ResourceNotFound if there is no table. A refused write of a repair is not a failure: its
// finding remains, with the reason.
Result<DriftReport> find_drift(const design::Design& design, Database& database, const DriftOptions& options);

// "PK=SHOP#s1, SK=META: name is required"
std::string to_text(const DriftSample& sample);
std::string to_text(const DriftReport& report);
std::string findings_text(const DriftReport& report);  // without notes and the summary
std::string to_json(const DriftReport& report);

}  // namespace tavola::drift
