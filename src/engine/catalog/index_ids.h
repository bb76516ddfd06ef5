// The ids of a table's indexes when its description changes.
#pragma once

#include <vector>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Returns the ids of the indexes in `after`. Existing indexes keep theirs; a new one gets an id that no index of the
// table ever had. Appends the writes that belong to the change: the entries of deleted indexes are erased, and the job
// of a build is written or erased. Fails with LimitExceeded if no id is left.
Result<IndexIds> change_indexes(const TableSchema& before, const TableDescription& after,
                                std::vector<store::Write>& writes);

}  // namespace tavola::engine
