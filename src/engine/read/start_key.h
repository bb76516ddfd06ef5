// ExclusiveStartKey: checks that it fits, and returns the rest to read after it.
#pragma once

#include <tavola/error.h>
#include <tavola/packed.h>

#include "engine/read/key_range.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// The source of a page: a table, or one of its indexes.
struct Source {
  const TableSchema& table;
  const IndexSchema* index;  // null for the table itself

  const KeyShape& key() const { return index != nullptr ? index->key : table.key; }
  IndexId id() const { return index != nullptr ? index->id : kTableItself; }
};

// Fails in AWS's words unless `start` has exactly the key attributes of the table and of the index.
Result<void> check_query_start(const Source& source, const ItemView& start);
Result<void> check_scan_start(const Source& source, const ItemView& start);

// Returns the part of `selection` after `start`, in the direction of reading. `start` was checked.
Result<store::KeyRange> after_start(const Source& source, const KeySelection& selection,
                                    const ItemView& start, store::Direction direction);

// One segment of a parallel scan; otherwise the whole scan.
struct Segment {
  int number = 0;
  int total = 1;
};
store::KeyRange segment_range(const Source& source, Segment segment);
Result<store::KeyRange> after_start(const Source& source, Segment segment, const ItemView& start);

}  // namespace tavola::engine
