// Capacity units as DynamoDB counts them (Developer Guide, "Capacity unit consumption").
#pragma once

#include <algorithm>
#include <cstddef>

#include "value/limits.h"

namespace tavola {

// A transaction reads or writes everything twice: once to prepare, once to commit (Developer Guide, "Capacity management for
// transactions").
inline constexpr double kTransactionFactor = 2;

// Returns how many units of `unit_bytes` hold so many bytes; at least one.
inline double capacity_units(std::size_t bytes, std::size_t unit_bytes) {
  return static_cast<double>(std::max<std::size_t>(1, (bytes + unit_bytes - 1) / unit_bytes));
}

inline double write_units(std::size_t bytes) { return capacity_units(bytes, limits::kWriteUnitBytes); }

}  // namespace tavola
