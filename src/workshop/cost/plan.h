// Capacity and cost of a design, for each of the sizes in its `capacity`.
//
// Assumptions, in addition to the sizes of items (estimate.h):
//   - A month has 30 days. The busiest hour has a tenth of the day's requests.
//   - Utilization is 70 %, the usual target of auto scaling. Capacity follows the load hour by hour. The table and each global index have
//     a capacity of their own, which never falls below one unit.
//   - A query reads its list to the end: all of its partition if the number of partitions follows from the design (one for each
//     entity whose key has the same fields), otherwise 20 items; a tenth of that if a bound of its range is a
//     parameter or its index has a `when`. A page has at most 1 MB. A pattern with a `limit` reads one page.
//   - Storage holds the items, their index entries and the internal records, each with 100 bytes of DynamoDB's overhead; a GB is a billion
//     bytes. An item with a unique field has a guard. An operation with `idempotent_by` has left a record for each item of the
//     entity that it puts most often.
// Money is decimal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>

#include "design/model/model.h"
#include "workshop/cost/prices.h"

namespace tavola::workshop {

// The daily load of a pattern or an operation.
struct DailyLoad {
  std::string name;
  Number times;
  Number read_units;
  Number write_units;
  std::int64_t pages = 1;  // of each time
};

struct SizePlan {
  std::string name;
  std::string mode;  // as in the design, for people
  std::vector<DailyLoad> loads;
  Number stored_bytes;
  Number internal_records;  // guards and records of operations, part of the stored bytes
  Number read_units;        // per day
  Number write_units;
  std::int64_t read_capacity = 1;  // provisioned, for the busiest hour
  std::int64_t write_capacity = 1;
  // Costs per month:
  Number storage;
  Number on_demand;
  Number provisioned;  // at the capacity above, around the clock
  Number auto_scaled;  // with auto scaling up to it
  bool is_on_demand_cheapest = true;
};

struct CapacityPlan {
  Prices prices;
  std::vector<SizePlan> sizes;
};

// Fails with Validation if a number of the design is too large to compute with.
Result<CapacityPlan> plan_capacity(const design::Design& design, const Prices& prices);

std::string to_text(const CapacityPlan& plan);
std::string to_json(const CapacityPlan& plan);

}  // namespace tavola::workshop
