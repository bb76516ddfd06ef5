// ExclusiveStartKey: whether it fits what is read, and what is left to read after it.
#pragma once

#include <tavola/error.h>
#include <tavola/packed.h>

#include "engine/read/key_range.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// What a page is read from: a table, or one of its indexes.
struct Source {
  const TableSchema& table;
  const IndexSchema* index;  // null for the table itself

  const KeyShape& key() const { return index != nullptr ? index->key : table.key; }
  IndexId id() const { return index != nullptr ? index->id : kTableItself; }
};

// Fails in AWS's words unless `start` has exactly the key attributes of the table and of the index.
Result<void> check_query_start(const Source& source, const ItemView& start);
Result<void> check_scan_start(const Source& source, const ItemView& start);

// The part of `selection` that comes after `start`, in the direction of reading. `start` was checked.
Result<store::KeyRange> after_start(const Source& source, const KeySelection& selection,
                                    const ItemView& start, store::Direction direction);

// One segment of a parallel scan; the whole of a scan that is not parallel.
struct Segment {
  int number = 0;
  int total = 1;
};
store::KeyRange segment_range(const Source& source, Segment segment);
Result<store::KeyRange> after_start(const Source& source, Segment segment, const ItemView& start);

}  // namespace tavola::engine
