// The items that a pattern of a table's design finds, asked with the fields of an entity: a Query or a Get.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tavola/requests.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "design/rules/table_lookup.h"
#include "engine/records/schema.h"
#include "store/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

struct PatternQuestion {
  const design::Design& design;
  const design::Pattern& pattern;
  const Item& fields;
  std::size_t limit;
  WallTime now;
};

// A rule reads at most so many entries for a pattern, because it reads them while it holds its locks.
inline constexpr std::size_t kRuleEntriesMax = 4096;

// Finds the items for a rule, among what its transaction reads: at most `limit`, and fewer if there are not so many among the first
// kRuleEntriesMax entries. Returns nothing if something was not read yet.
Result<std::optional<design::FoundItems>> find_by_pattern(const TableSchema& table,
                                                          const PatternQuestion& question,
                                                          store::RuleReads& reads);

// Reads the items by pages: looks at `limit` items at most, those behind `after`.
Result<Page> pattern_page(const store::Store& store, const TableSchema& table,
                          const PatternQuestion& question, std::optional<PackedItem> after);

}  // namespace tavola::engine
