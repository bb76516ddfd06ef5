// Reads that a lens makes: an item by its key, and pages until a bound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <tavola/error.h>
#include <tavola/requests.h>
#include <tavola/value.h>

#include "lens/subject.h"

namespace tavola::lens {

// Returns the item, read consistently; nullopt if there is none. Fails with Validation if the key is not one of the table.
Result<std::optional<Item>> read_item(const Subject& subject, const Item& key);
// Fails with ResourceNotFound if there is no such item.
Result<Item> read_needed_item(const Subject& subject, const Item& key);

// The progress of a reading.
struct Reading {
  std::int64_t items = 0;            // evaluated
  std::optional<PackedItem> next{};  // where to resume; nullopt at the end
};

using LookAtItem = std::function<Result<void>(const Item& item)>;
// Read pages from `exclusive_start_key` of the request on, and call `look` with each item, until the end, about `items_max` items, or
// kReadingMax.
Result<Reading> read_pages(const Subject& subject, ScanRequest request, std::int64_t items_max,
                           const LookAtItem& look);
Result<Reading> read_pages(const Subject& subject, QueryRequest request, std::int64_t items_max,
                           const LookAtItem& look);

// Returns the key at which to resume as JSON: "null" at the end.
std::string next_json(const std::optional<PackedItem>& next);

// Returns the request for the items with this partition key, of an index unless its name is empty, whose sort key begins with `prefix`
// unless that is null.
Result<QueryRequest> query_of(const design::Design& design, std::string_view index, const Value& hash,
                              const Value* prefix);

}  // namespace tavola::lens
