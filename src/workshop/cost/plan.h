// Capacity and cost of a design, for each of the sizes in its `capacity`.
//
// What is assumed, besides the sizes of items (estimate.h):
//   - A month has 30 days. The busiest hour has a tenth of the day's requests.
//   - Capacity is used to 70 %, as auto scaling aims at. It follows the load hour by hour and never falls below one unit.
//   - A query reads one page: all of its partition where the design tells how many partitions there are (one for each entity
//     whose key has the same fields), otherwise 20 items; a tenth of that when a bound of its range is a parameter or its
//     index has a `when`. A page has at most 1 MB, or `limit` items.
//   - Stored are the items and their entries in indexes, each with 100 bytes for DynamoDB's own; a GB is a billion bytes.
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

// What a pattern or an operation takes on a day.
struct DailyLoad {
  std::string name;
  Number times;
  Number read_units;
  Number write_units;
};

struct SizePlan {
  std::string name;
  std::string mode;  // as the design says it, for people
  std::vector<DailyLoad> loads;
  Number stored_bytes;
  Number read_units;  // a day
  Number write_units;
  std::int64_t read_capacity = 1;  // provisioned, for the busiest hour
  std::int64_t write_capacity = 1;
  // A month:
  Number storage;
  Number on_demand;
  Number provisioned;  // at the capacity above, day and night
  Number auto_scaled;  // with auto scaling up to it
  bool is_on_demand_cheapest = true;
};

struct CapacityPlan {
  Prices prices;
  std::vector<SizePlan> sizes;
};

// Fails with Validation when a number of the design is too large to be reckoned with.
Result<CapacityPlan> plan_capacity(const design::Design& design, const Prices& prices);

std::string to_text(const CapacityPlan& plan);
std::string to_json(const CapacityPlan& plan);

}  // namespace tavola::workshop
