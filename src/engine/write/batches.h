// BatchGetItem and BatchWriteItem: many items of several tables in one request.
#pragma once

#include <tavola/requests.h>

#include "engine/catalog/catalog.h"
#include "engine/write/request_writes.h"
#include "store/store.h"

namespace tavola::engine {

Result<BatchGetItemResponse> get_batch(const store::Store& store, Catalog& catalog,
                                       const BatchGetItemRequest& request);

// AWS promises nothing about the whole of a batch; here it is one transaction, which is also the fastest way.
Result<BatchWriteItemResponse> write_batch(store::Store& store, Catalog& catalog, const WriteContext& context,
                                           const BatchWriteItemRequest& request);

}  // namespace tavola::engine
