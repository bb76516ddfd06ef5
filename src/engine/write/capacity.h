// Capacity units by AWS's rules ("DynamoDB read and write operations", Developer Guide): reads count 4 KB, and half if
// eventually consistent; writes count 1 KB; both round up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tavola/requests.h>

#include "database/capacity.h"
#include "engine/records/schema.h"

namespace tavola::engine {

enum class ReadConsistency : std::uint8_t { Eventual, Strong };

// For a request with a ConsistentRead.
template <class Request>
ReadConsistency consistency_of(const Request& request) {
  return request.consistent_read ? ReadConsistency::Strong : ReadConsistency::Eventual;
}

double read_units(std::size_t bytes, ReadConsistency consistency);

// The units that one request used, by table and index. `by_index` is in the order of TableSchema::indexes.
struct UsedUnits {
  double table = 0;
  std::vector<double> by_index;

  explicit UsedUnits(const TableSchema& schema) : by_index(schema.indexes.size()) {}
};

enum class CapacityKind : std::uint8_t { Read, Write };

// Returns the response's ConsumedCapacity; nullopt if it was not asked for. Also counts the units.
std::optional<ConsumedCapacity> consumed_capacity(const TableSchema& table, const UsedUnits& used,
                                                  CapacityKind kind, ReturnConsumedCapacity asked);

// The units that all requests of this process used since it started, for monitoring.
struct CapacityTotals {
  double read_units;
  double write_units;
};
CapacityTotals capacity_totals();
// Returns what the requests of the calling thread have used. A request runs on one thread from its beginning to its end.
CapacityTotals capacity_of_thread();

}  // namespace tavola::engine
