#include "engine/write/request_totals.h"

#include <algorithm>
#include <set>

#include "engine/records/keys.h"
#include "engine/write/collections.h"

namespace tavola::engine {

void UnitsByTable::add(const TableSchema& table, const UsedUnits& used) {
  auto sum = std::ranges::find(sums_, &table, &Sum::table);
  if (sum == sums_.end()) {
    sum = sums_.insert(sums_.end(), Sum{&table, UsedUnits(table)});
  }
  sum->used.table += used.table;
  for (std::size_t i = 0; i < used.by_index.size(); ++i) sum->used.by_index[i] += used.by_index[i];
}

std::vector<ConsumedCapacity> UnitsByTable::consumed(CapacityKind kind, ReturnConsumedCapacity asked,
                                                     double factor) const {
  std::vector<ConsumedCapacity> capacities;
  for (const Sum& sum : sums_) {
    UsedUnits used = sum.used;
    used.table *= factor;
    for (double& units : used.by_index) units *= factor;
    if (auto capacity = consumed_capacity(*sum.table, used, kind, asked))
      capacities.push_back(*std::move(capacity));
  }
  return capacities;
}

std::vector<TableMetrics> metrics_of(const store::Store& store,
                                     std::span<const std::pair<const TableSchema*, ItemView>> written) {
  std::vector<TableMetrics> tables;
  std::set<std::string> seen;
  for (const auto& [table, item] : written) {
    if (!table->has_local_index || !seen.insert(collection_key(*table, item)).second) continue;
    // The writes are done: that their statistics cannot be read must not make them look undone.
    auto metrics = collection_metrics(store, *table, item);
    if (!metrics) continue;
    const std::string& name = table->description.table_name;
    auto found = std::ranges::find(tables, name, &TableMetrics::table_name);
    if (found == tables.end()) found = tables.insert(tables.end(), TableMetrics{name, {}});
    found->metrics.push_back(*std::move(metrics));
  }
  return tables;
}

}  // namespace tavola::engine
