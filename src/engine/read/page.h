// One page of Query or Scan: walks a range of entries, filters, projects, and stops at the limit or at 1 MB.
#pragma once

#include <optional>

#include <tavola/requests.h>

#include "engine/records/schema.h"
#include "engine/write/capacity.h"
#include "expr/evaluate/compile.h"
#include "store/store.h"
#include "value/limits.h"

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
  const ItemTest& may_see;  // is asked of every entry, unless it is empty
};

// How much a page passes over that may not be seen, before it is refused: the work of a request has a bound.
inline constexpr std::size_t kUnseenBytesMax = 16 * limits::kPageBytesMax;

Result<Page> read_page(const store::Store& store, const PageScan& scan, ReturnConsumedCapacity asked);

// Names of the key attributes of the table and, if given, of the index, each once: what a LastEvaluatedKey
// holds.
std::vector<std::string> position_attributes(const TableSchema& table, const IndexSchema* index);

// The store key of the entry a LastEvaluatedKey points at. `position` was checked.
std::string position_key(const TableSchema& table, const IndexSchema* index, const ItemView& position);

}  // namespace tavola::engine
