// Puts items into a table, in batches as large as DynamoDB takes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <tavola/database.h>

#include "transfer/walk/patience.h"

namespace tavola::transfer {

struct PutTarget {
  Database& database;
  const std::string& table_name;
  const Pause& pause;
};

// Called for each item that the table refuses. An error ends the writing and becomes its result.
using Refuse = std::function<Result<void>(const PackedItem& item, const Error& error)>;

// Writes all items, none of whose keys may occur twice, and returns how many the table took. Unprocessed items are sent again. If a
// batch is refused, which does not tell because of which item, its items are put one by one.
Result<std::uint64_t> put_items(const PutTarget& target, std::span<const PackedItem> items,
                                const Refuse& refuse);

}  // namespace tavola::transfer
