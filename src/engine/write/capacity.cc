#include "engine/write/capacity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>

#include "database/capacity.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// Counted in half units, which are whole numbers.
std::array<std::atomic<std::uint64_t>, 2> used_half_units;

thread_local CapacityTotals used_by_thread{};

void count(CapacityKind kind, double units) {
  (kind == CapacityKind::Read ? used_by_thread.read_units : used_by_thread.write_units) += units;
  used_half_units[static_cast<std::size_t>(kind)].fetch_add(static_cast<std::uint64_t>(units * 2),
                                                            std::memory_order_relaxed);
}

double counted(CapacityKind kind) {
  return static_cast<double>(
             used_half_units[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed)) /
         2;
}

}  // namespace

double read_units(std::size_t bytes, ReadConsistency consistency) {
  return capacity_units(bytes, limits::kReadUnitBytes) * (consistency == ReadConsistency::Strong ? 1.0 : 0.5);
}

CapacityTotals capacity_totals() { return {counted(CapacityKind::Read), counted(CapacityKind::Write)}; }

CapacityTotals capacity_of_thread() { return used_by_thread; }

std::optional<ConsumedCapacity> consumed_capacity(const TableSchema& table, const UsedUnits& used,
                                                  CapacityKind kind, ReturnConsumedCapacity asked) {
  const double units = std::accumulate(used.by_index.begin(), used.by_index.end(), used.table);
  count(kind, units);
  if (asked == ReturnConsumedCapacity::None) {
    return std::nullopt;
  }
  ConsumedCapacity capacity;
  capacity.table_name = table.description.table_name;
  capacity.units = units;
  if (asked == ReturnConsumedCapacity::Indexes) {
    capacity.table_units = used.table;
    for (std::size_t i = 0; i < table.indexes.size(); ++i) {
      if (used.by_index[i] > 0) {
        auto& by_name = table.indexes[i].kind == IndexKind::Local ? capacity.local_index_units
                                                                  : capacity.global_index_units;
        by_name.emplace(table.indexes[i].name, used.by_index[i]);
      }
    }
  }
  return capacity;
}

}  // namespace tavola::engine
