// TransactWriteItems and TransactGetItems: several items of several tables, atomically.
//
//   compile every action ─▶ look the tables up ─▶ check every key ─▶ one Store::transact: is the token new? check
//   every condition, then write everything and the token, or nothing
//
// What is wrong with the request itself, expressions and the sizes of items included, is a ValidationException. What is
// wrong with one action, given its table and its item, cancels the transaction with a reason for each action; so does
// another transaction on one of the items. The first key that does not fit its table is the only reason; of conditions
// and updates all that fail are. (As AWS answers: github.com/paritysuite/dynamodb-conformance, tests/tier3.)
#pragma once

#include <chrono>
#include <stop_token>

#include <tavola/requests.h>

#include "base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/write/request_writes.h"
#include "store/store.h"

namespace tavola::engine {

// How long a request with the same token changes nothing a second time (API reference, "ClientRequestToken").
inline constexpr std::chrono::minutes kTokenLifetime{10};

Result<TransactWriteItemsResponse> transact_write(store::Store& store, Catalog& catalog,
                                                  const WriteContext& context,
                                                  const TransactWriteItemsRequest& request);

Result<TransactGetItemsResponse> transact_get(const store::Store& store, Catalog& catalog,
                                              const TransactGetItemsRequest& request);

// Removes the tokens whose lifetime is over.
Result<void> forget_old_tokens(store::Store& store, WallTime now, const std::stop_token& stop);

}  // namespace tavola::engine
