// What batches and transactions share: writes on several tables, committed as one, and the sum of what they cost.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "engine/catalog/catalog.h"
#include "engine/write/capacity.h"
#include "store/store.h"

namespace tavola::engine {

// Returns one guard per table (keys.h). Borrows the tables.
std::vector<store::Guard> table_guards(const Schemas& tables);

// Makes one of several additions to the same counters: those of a table, of an item collection.
void join_additions(std::vector<store::Write>& writes);

// Units by table, in the order in which the tables first appear.
class UnitsByTable {
 public:
  void add(const TableSchema& table, const UsedUnits& used);
  // Nothing when capacity was not asked for.
  std::vector<ConsumedCapacity> consumed(CapacityKind kind, ReturnConsumedCapacity asked,
                                         double factor = 1) const;

 private:
  struct Sum {
    const TableSchema* table;
    UsedUnits used;
  };
  std::vector<Sum> sums_;
};

// The collections that the written items belong to, by table; each collection once.
std::vector<TableMetrics> metrics_of(const store::Store& store,
                                     std::span<const std::pair<const TableSchema*, ItemView>> written);

}  // namespace tavola::engine
