#include "lens/reading.h"

#include <algorithm>
#include <utility>

#include "design/items/dependent_writes.h"
#include "lens/key_readers.h"

namespace tavola::lens {
namespace {

// So many items are read between two looks at the clock.
constexpr std::int64_t kPageItems = 500;

template <class Request, class Send>
Result<Reading> read_until(const Subject& subject, Request request, std::int64_t items_max,
                           const LookAtItem& look, Send send) {
  const WallTime end = subject.clock.now() + kReadingMax;
  Reading reading;
  do {
    request.limit = std::min(kPageItems, items_max - reading.items);
    TAVOLA_TRY(Page page, send(request));
    reading.items += page.scanned_count;
    for (const PackedItem& packed : page.items) {
      const Item item = packed.unpack();
      if (!design::is_record(subject.design.table, item)) TAVOLA_CHECK(look(item));
    }
    request.exclusive_start_key = std::move(page.last_evaluated_key);
  } while (request.exclusive_start_key && reading.items < items_max && subject.clock.now() < end);
  reading.next = std::move(request.exclusive_start_key);
  return reading;
}

}  // namespace

Result<std::optional<Item>> read_item(const Subject& subject, const Item& key) {
  GetItemRequest request{.table_name = subject.design.table.name, .consistent_read = true};
  TAVOLA_TRY(request.key, pack(key));
  TAVOLA_TRY(const GetItemResponse response, subject.database.get_item(request));
  return response.item ? std::optional(response.item->unpack()) : std::nullopt;
}

Result<Item> read_needed_item(const Subject& subject, const Item& key) {
  TAVOLA_TRY(std::optional<Item> item, read_item(subject, key));
  if (!item) return fail(Error(ErrorCode::ResourceNotFound, "there is no item " + to_json(key)));
  return *std::move(item);
}

Result<Reading> read_pages(const Subject& subject, ScanRequest request, std::int64_t items_max,
                           const LookAtItem& look) {
  return read_until(subject, std::move(request), items_max, look,
                    [&](const ScanRequest& one) { return subject.database.scan(one); });
}

Result<Reading> read_pages(const Subject& subject, QueryRequest request, std::int64_t items_max,
                           const LookAtItem& look) {
  return read_until(subject, std::move(request), items_max, look,
                    [&](const QueryRequest& one) { return subject.database.query(one); });
}

std::string next_json(const std::optional<PackedItem>& next) {
  return next ? to_json(next->unpack()) : "null";
}

Result<QueryRequest> query_of(const design::Design& design, std::string_view index, const Value& hash,
                              const Value* prefix) {
  QueryRequest request{.table_name = design.table.name,
                       .index_name = std::string(index),
                       .key_condition_expression = "#hash = :hash",
                       .names = {{"#hash", hash_of(design, index).name}}};
  Item values{{":hash", hash}};
  const design::KeyAttribute* const range = range_of(design, index);
  if (prefix != nullptr && range != nullptr) {
    request.key_condition_expression += " AND begins_with(#range, :range)";
    request.names.emplace("#range", range->name);
    values.emplace(":range", *prefix);
  }
  TAVOLA_TRY(request.values, pack(values));
  return request;
}

}  // namespace tavola::lens
