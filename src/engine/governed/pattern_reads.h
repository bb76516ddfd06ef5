// The items that a pattern of a table's design finds, asked with the fields of an entity: a Query or a Get.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tavola/requests.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "engine/records/schema.h"
#include "engine/write/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

struct PatternQuestion {
  const design::Design& design;
  const design::Pattern& pattern;
  const Item& fields;
  std::size_t limit;
  WallTime now;
};

// Finds the items for a rule, among what its transaction reads: at most `limit`. Returns nothing if something was not read yet.
Result<std::optional<std::vector<Item>>> find_by_pattern(const TableSchema& table,
                                                         const PatternQuestion& question, RuleReads& reads);

// Reads the items by pages: looks at `limit` items at most, those behind `after`.
Result<Page> pattern_page(const store::Store& store, const TableSchema& table,
                          const PatternQuestion& question, std::optional<PackedItem> after);

}  // namespace tavola::engine
