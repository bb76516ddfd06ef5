// Explains a pattern or an operation: its requests, exactly as a client sends them, and their costs.
//
//   explain(design, pattern, {}, now)              the request, with <shopId> for a missing parameter
//   explain_reads(design, operation, given, …)     the reads of an operation,
//   explain_writes(design, operation, given, …)    and, given the items found, its writes
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "design/requests/operation_plan.h"
#include "workshop/cost/estimate.h"
#include "workshop/cost/prices.h"

namespace tavola::workshop {

// A request by the name of its operation ("Query"), as JSON.
struct Sent {
  std::string operation;
  std::string request;
};

// ---- Patterns ----

struct ReadCost {
  std::int64_t items = 0;
  Units units;
};

// A pattern that is one request, or a part of a union.
struct ExplainedRead {
  std::string pattern{};
  Sent sent{};
  std::string index{};  // empty: the table
  std::string entity{};
  Consistency consistency = Consistency::Eventual;
  std::size_t item_bytes = 0;        // estimated, as the index projects it
  std::vector<ReadCost> costs{};     // for some numbers of items; empty for a Scan, which reads everything
  std::vector<std::string> also{};   // other entities that the same keys return
  std::vector<std::string> notes{};  // further remarks, a sentence each
};

struct Explanation {
  std::string name{};
  std::string title{};
  std::vector<ExplainedRead> reads{};  // several for a union; none if no request serves it
};

// Explains a pattern. `given` holds values as JSON has them. A missing required parameter appears as its example or
// as `<name>`. Fails with Validation and BadParameter (design/model/arguments.h).
Result<Explanation> explain(const design::Design& design, const design::Pattern& pattern, const Item& given,
                            WallTime now);
std::string to_text(const Explanation& explanation);
std::string to_json(const Explanation& explanation);

// ---- Operations ----

// Returns the reads, writes and costs of an operation, without parameters.
std::string to_text(const design::Design& design, const design::Operation& operation);
std::string to_json(const design::Design& design, const design::Operation& operation);

// Returns what operations cost more through a server with --upstream, which reads and compares what it writes (docs/SCALE.md).
std::string upstream_text(const design::Design& design, std::span<const design::Operation> operations,
                          const Prices& prices);
std::string upstream_json(const design::Design& design, std::span<const design::Operation> operations,
                          const Prices& prices);

Result<std::vector<Sent>> explain_reads(const design::Design& design, const design::Operation& operation,
                                        const Item& given, const design::Ambient& ambient);

struct ExplainedWrites {
  std::vector<Sent>
      unread{};  // reads that the writes depend on besides; if there are some, nothing else is set
  std::optional<Sent> sent{};  // nullopt if there is nothing to write
  struct ActionCause {
    std::size_t action = 0;  // its number in the transaction
    design::Cause cause;
  };
  std::vector<ActionCause> causes{};
  Item result{};
  std::optional<Sent>
      read_back{};  // set if only the database knows the whole result: the read that completes it
};
// Explains the writes. `found` are the items of the reads, in order, and then those of earlier `unread`. Fails as design::plan does, also with a
// refusal.
Result<ExplainedWrites> explain_writes(const design::Design& design, const design::Operation& operation,
                                       const Item& given, const design::Ambient& ambient,
                                       const design::ReadItems& found);

// Returns {"reads": [{"operation": "GetItem", "request": {…}}]}.
std::string to_json(const std::vector<Sent>& reads);
// Returns {"writes": {"operation": …, "request": …}, "causes": [{"action": 0, "name": …, "reason": …,
// "condition": …}]}.
std::string to_json(const ExplainedWrites& writes);

}  // namespace tavola::workshop
