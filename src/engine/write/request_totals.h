// The totals that the response of a batch or a transaction reports: capacity units and item collections, by table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "engine/records/schema.h"
#include "engine/write/capacity.h"
#include "store/store.h"

namespace tavola::engine {

// Units by table, in the order in which the tables first appear.
class UnitsByTable {
 public:
  void add(const TableSchema& table, const UsedUnits& used);
  // Returns no entries if capacity was not requested.
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
