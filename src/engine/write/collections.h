// Item collections: the items of a table with local indexes that share a partition key, and their size.
#pragma once

#include <tavola/requests.h>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Returns the size of the collection that `item` (or a key) belongs to. The table must have a local index.
Result<ItemCollectionMetrics> collection_metrics(const store::Store& store, const TableSchema& table,
                                                 const ItemView& item);

}  // namespace tavola::engine
