// Applies a key condition to a key: returns the selected entries of a table or index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/records/schema.h"
#include "expr/evaluate/compile.h"
#include "store/store.h"

namespace tavola::engine {

// The entries of one partition that a key condition selects.
struct KeySelection {
  std::string partition;  // prefix of their store keys: all hash attributes
  store::KeyRange range;  // the entries themselves
  bool has_range_condition = false;
};

// `index` is null for the table itself. Fails in AWS's words if the condition does not fit the key.
Result<KeySelection> select_entries(const TableSchema& table, const IndexSchema* index,
                                    const expr::KeyCondition& condition);

}  // namespace tavola::engine
