// One change of a stored item, and every write that belongs to it: the item, its index entries, when it expires and when it is
// stuck, the counters of its table and of its collection, and the change log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/packed.h>

#include "base/clock.h"
#include "engine/records/schema.h"
#include "engine/write/capacity.h"
#include "store/store.h"

namespace tavola::engine {

struct StoredChange {
  const TableSchema& table;
  const std::string& key;
  std::optional<ItemView> before;
  std::optional<ItemView> after;
  std::int64_t collection_bytes = 0;  // as in ItemWrite
  WallTime now{};                     // for the table's change log
  bool expired = false;               // the item's time to live is over, and nobody deleted it
  bool is_ours = false;               // clients see no change: no stream shows it
};

// Appends to `writes` everything that changes in the store when the item under `key` becomes another. Fails with
// ItemCollectionSizeLimitExceeded; then nothing was appended.
Result<void> append_writes(const StoredChange& change, UsedUnits& units, std::vector<store::Write>& writes);

// Joins additions to the same counters, those of a table or of an item collection, into one.
void join_additions(std::vector<store::Write>& writes);

}  // namespace tavola::engine
