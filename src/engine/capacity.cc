#include "engine/capacity.h"

#include <algorithm>

#include "value/limits.h"

namespace tavola::engine {
namespace {

double round_up(std::size_t bytes, std::size_t unit) {
  return static_cast<double>(std::max<std::size_t>(1, (bytes + unit - 1) / unit));
}

}  // namespace

double read_units(std::size_t bytes, ReadConsistency consistency) {
  return round_up(bytes, limits::kReadUnitBytes) * (consistency == ReadConsistency::Strong ? 1.0 : 0.5);
}

double write_units(std::size_t bytes) { return round_up(bytes, limits::kWriteUnitBytes); }

std::optional<ConsumedCapacity> consumed_capacity(const TableSchema& table, const UsedUnits& used,
                                                  ReturnConsumedCapacity asked) {
  if (asked == ReturnConsumedCapacity::None) {
    return std::nullopt;
  }
  ConsumedCapacity capacity;
  capacity.table_name = table.description.table_name;
  capacity.units = used.table;
  for (const double units : used.by_index) {
    capacity.units += units;
  }
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
