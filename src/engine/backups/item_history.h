// The versions of one item, read from the change log of its table (change_log.h) while point-in-time recovery keeps the
// images before each change.
//
//   shard of the item    … [other] [ours: before] [other] [other] [ours: before] [other]  │ the item as it is
//                        item_as_of ──▶ the first of ours after a time      item_history ◀── newest first
//
// The log has no index by item, because that would cost every write. So both read the records of the item's shard, a
// quarter of the table's changes, and stop when they have read as much as a page may. The position at which they stop is
// never above what was settled when the page began (Store::settled): so the pages of one history fit together while
// others write.
#pragma once

#include <cstddef>

#include <tavola/history.h>

#include "base/clock.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// The part of the log that one page reads at most.
struct HistoryPage {
  std::size_t records_max = 20'000;
  std::size_t bytes_max = std::size_t{8} * 1024 * 1024;
};

struct HistoryContext {
  store::Store& store;
  const TableSchema& table;
  WallTime now;
  HistoryPage page{};
};

// Both fail with PointInTimeRecoveryUnavailable if recovery is off, and item_as_of() with InvalidRestoreTime for a time
// outside of its period.
Result<ItemHistoryResponse> item_history(const HistoryContext& context, const ItemHistoryRequest& request);
Result<ItemAsOfResponse> item_as_of(const HistoryContext& context, const ItemAsOfRequest& request);

}  // namespace tavola::engine
