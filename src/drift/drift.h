// Drift: where a table and what is in it are not as the design says, found and, when asked for, put right.
//
// The table is read by Scan, once; again for counters, which are counted anew. What an item should have beside it (a copy, a
// unique guard, what it refers to) is looked up by its key, and what a copy is made from is asked for likewise. So memory is
// bounded whatever the table holds: counters are kept for at most `totals_max` items at a time, and the table is read once
// more for every further share of them.
//
// Others may write meanwhile. What looks wrong is read again before it is told, and a counter is counted twice; what is put
// right is written on the condition that everything it was computed from is still as it was seen, and computed anew otherwise.
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
  Table,               // its keys, indexes, projections or time to live are others
  UnmatchedItem,       // an item that is no entity
  Field,               // a field that breaks the design
  DerivedValue,        // what the design computes is stored otherwise
  IndexKey,            // likewise a key of an index
  EntityAttribute,     // likewise the name of the entity
  StateKey,            // the key that holds a state is none, or says something else than the fields
  CopyMissing,         // a mirror or a fanout without its item
  CopyDifferent,       // its item is not what the source says
  CopyOrphaned,        // its source is gone, or has no such copy
  Counter,             // a count or a sum is not that of all sources
  GuardMissing,        // nothing keeps a unique value from being taken
  GuardOrphaned,       // a unique guard whose holder is gone or has another value
  NotUnique,           // a unique value that two have
  Reference,           // something is named that is not there
  PatternUnused,       // no request fits the pattern
  RequestUnexplained,  // a Query or a Scan that no pattern explains
};
std::string_view name_of(DriftRule rule);  // "copy-missing"
// The last two are news about how the table is used: nothing in it is wrong.
bool is_about_use(DriftRule rule);

struct DriftSample {
  Item key{};          // empty: about no item
  std::string text{};  // what is, and what should be
};

struct DriftFinding {
  DriftRule rule = DriftRule::Table;
  std::string about{};  // "Product.sku", "GSI1PK of Sale", the name of a copy or a pattern; empty: the table
  std::uint64_t count = 0;
  std::uint64_t mended = 0;
  std::vector<DriftSample> samples{};
  std::string why_left{};  // why the first one that is left was not mended, when mending was asked for
};

struct DriftReport {
  std::string design{};
  std::string table{};
  std::uint64_t items = 0;
  bool repair = false;
  std::vector<DriftFinding> findings{};  // in the order of the rules, then of what they are about
  std::vector<std::string> notes{};      // what was not looked at, and why

  // Something is wrong and was not mended.
  bool has_drift() const;
};

struct DriftProgress {
  std::string_view doing;      // "reading", "counting"
  std::uint64_t items = 0;     // so far, of this
  std::uint64_t expected = 0;  // about so many; 0: not known
};

struct DriftOptions {
  bool repair = false;
  std::size_t samples_max = 5;  // of each finding
  std::size_t totals_max = 200'000;
  const drift::RequestCounts* requests = nullptr;  // null: not known, which a note says
  std::function<void(const DriftProgress&)> progress{};
  const Clock* clock = &Clock::system();
};

// Fails as the database does: ResourceNotFound when there is no table. A write of --repair that is refused is no failure:
// what it was for is left, with the reason.
Result<DriftReport> find_drift(const design::Design& design, Database& database, const DriftOptions& options);

std::string to_text(const DriftReport& report);
std::string to_json(const DriftReport& report);

}  // namespace tavola::drift
