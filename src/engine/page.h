// One page of Query or Scan: walks a range of entries, filters, projects, and stops at the limit or at 1 MB.
#pragma once

#include <optional>

#include <tavola/requests.h>

#include "engine/capacity.h"
#include "engine/schema.h"
#include "expr/compile.h"
#include "store/store.h"

namespace tavola::engine {

struct PageScan {
  const TableSchema& table;
  const IndexSchema* index;  // null for the table itself
  store::KeyRange range;
  store::Direction direction = store::Direction::Forward;
  std::optional<std::int64_t> limit;
  const expr::Condition& filter;
  const expr::Projection& projection;
  bool count_only = false;
  // The entry of a local index lacks something that was asked for: read the item it stands for.
  bool fetch_items = false;
  ReadConsistency consistency = ReadConsistency::Eventual;
};

Result<Page> read_page(const store::Store& store, const PageScan& scan, ReturnConsumedCapacity asked);

// Names of the key attributes of the table and, if given, of the index, each once: what a LastEvaluatedKey
// holds.
std::vector<std::string> position_attributes(const TableSchema& table, const IndexSchema* index);

// The store key of the entry a LastEvaluatedKey points at. `position` was checked.
std::string position_key(const TableSchema& table, const IndexSchema* index, const ItemView& position);

}  // namespace tavola::engine
