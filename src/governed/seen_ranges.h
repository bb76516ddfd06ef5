// The ranges that a rule asks for: what the pattern of a design finds, for deletions that concern other items and for permissions. The
// range of an index or a table becomes a Query of its partition.
#pragma once

#include <tavola/database.h>

#include "governed/item_places.h"
#include "store/store.h"

namespace tavola::governed {

Result<store::RangeEntries> read_range(Database& remote, const TransactionTables& tables,
                                       const store::RangeRead& range);

}  // namespace tavola::governed
