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
  // The entry of a local index lacks a requested attribute: its item must be read.
  bool fetch_items = false;
  ReadConsistency consistency = ReadConsistency::Eventual;
  const ItemTest& may_see;  // called for every entry, unless it is empty
};

// Maximum size of the invisible items that a page skips before it is refused: the work of a request is bounded.
inline constexpr std::size_t kUnseenBytesMax = 16 * limits::kPageBytesMax;

Result<Page> read_page(const store::Store& store, const PageScan& scan, ReturnConsumedCapacity asked);

// Returns the names of the key attributes of the table and, if given, of the index, each once: those of a
// LastEvaluatedKey.
std::vector<std::string> position_attributes(const TableSchema& table, const IndexSchema* index);

// Returns the store key of the entry that a LastEvaluatedKey names. `position` was checked.
std::string position_key(const TableSchema& table, const IndexSchema* index, const ItemView& position);

}  // namespace tavola::engine
