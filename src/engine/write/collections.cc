#include "engine/write/collections.h"

#include <cmath>

#include "engine/records/keys.h"
#include "engine/write/index_entries.h"

namespace tavola::engine {

Result<ItemCollectionMetrics> collection_metrics(const store::Store& store, const TableSchema& table,
                                                 const ItemView& item) {
  TAVOLA_TRY(const std::optional<std::string> stored, store.get(collection_key(table, item)));
  TAVOLA_TRY(const std::vector<std::int64_t> bytes,
             store::decode_counters(stored.value_or(std::string()), 1));
  constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;
  const double lower = std::floor(static_cast<double>(bytes[0]) / kGigabyte);
  return ItemCollectionMetrics{project(item, {table.key.hash[0].name}), {lower, lower + 1}};
}

}  // namespace tavola::engine
