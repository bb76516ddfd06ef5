#include "governed/seen_items.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/random.h"
#include "base/retry.h"
#include "database/item_key.h"
#include "value/limits.h"

namespace tavola::governed {
namespace {

// Keys that were left out of an answer were too many for it, or too fast.
constexpr RetryDelays kBatchPauses{.first = std::chrono::milliseconds(2),
                                   .longest = std::chrono::milliseconds(64)};

GetItemRequest get_request(const ItemPlace& place) {
  return {.table_name = place.table_name(), .key = place.key, .consistent_read = true};
}

bool is_conflict(const Error& error) {
  return error.code() == ErrorCode::TransactionCanceled || error.code() == ErrorCode::TransactionConflict;
}

// The name of a table and the bytes of a key.
using PlaceOfItem = std::pair<std::string, std::string>;

}  // namespace

Result<std::size_t> SeenItems::add(const TransactionTables& tables, const std::string& store_key,
                                   bool is_of_client) {
  if (const std::optional<std::size_t> known = find(store_key)) return *known;
  TAVOLA_TRY(std::optional<ItemPlace> place, tables.place_of(store_key));
  if (!place) return fail(Error::internal("a rule asks for something that is not on the other server"));
  positions_.emplace(store_key, items_.size());
  items_.push_back({.store_key = store_key, .place = *std::move(place), .is_of_client = is_of_client});
  return items_.size() - 1;
}

std::optional<std::size_t> SeenItems::find(std::string_view store_key) const {
  const auto known = positions_.find(store_key);
  return known == positions_.end() ? std::nullopt : std::optional(known->second);
}

void SeenItems::guess_missing(std::size_t at) {
  items_[at].item.reset();
  items_[at].source = SeenItem::Source::Guess;
}

void SeenItems::learn(std::size_t at, std::optional<PackedItem> item) {
  items_[at].item = std::move(item);
  items_[at].source = SeenItem::Source::Read;
}

void SeenItems::forget_guesses() {
  for (SeenItem& seen : items_) {
    if (seen.source == SeenItem::Source::Guess) seen.source = SeenItem::Source::None;
  }
}

Result<void> SeenItems::read_missing() {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].source == SeenItem::Source::None) missing.push_back(i);
  }
  if (missing.size() == 1) return read_one(items_[missing.front()]);
  const std::span<const std::size_t> all(missing);
  for (std::size_t first = 0; first < all.size(); first += limits::kBatchGetKeysMax)
    TAVOLA_CHECK(read_some(all.subspan(first, std::min(limits::kBatchGetKeysMax, all.size() - first))));
  return {};
}

Result<void> SeenItems::read_one(SeenItem& seen) {
  TAVOLA_TRY(GetItemResponse response, remote_.get_item(get_request(seen.place)));
  seen.item = std::move(response.item);
  seen.source = SeenItem::Source::Read;
  return {};
}

Result<void> SeenItems::read_some(std::span<const std::size_t> positions) {
  BatchGetItemRequest request;
  std::map<PlaceOfItem, std::size_t> wanted;
  for (const std::size_t at : positions) {
    const ItemPlace& place = items_[at].place;
    auto table = std::ranges::find(request.tables, place.table_name(), &KeysToGet::table_name);
    if (table == request.tables.end())
      table = request.tables.insert(table, {.table_name = place.table_name(), .consistent_read = true});
    table->keys.push_back(place.key);
    wanted.emplace(PlaceOfItem(place.table_name(), place.key.bytes()), at);
    learn(at, std::nullopt);
  }
  for (int tries = 0; !request.tables.empty(); ++tries) {
    if (tries > 0) std::this_thread::sleep_for(delay_after(tries, kBatchPauses, Random::system()));
    TAVOLA_TRY(BatchGetItemResponse response, remote_.batch_get_item(request));
    for (TableItems& table : response.tables) {
      const SchemaPtr& schema = schema_of(table.table_name, positions);
      for (PackedItem& item : table.items) {
        const PackedItem key = key_of_item(schema->description.key_schema, item.view());
        const auto found = wanted.find(PlaceOfItem(table.table_name, key.bytes()));
        if (found != wanted.end()) learn(found->second, std::move(item));
      }
    }
    request.tables = std::move(response.unprocessed_keys);
  }
  return {};
}

// The server answers with the names of the tables that it was asked for.
const SchemaPtr& SeenItems::schema_of(std::string_view table_name,
                                      std::span<const std::size_t> positions) const {
  const auto named = [&](std::size_t at) { return items_[at].place.table_name() == table_name; };
  const auto found = std::ranges::find_if(positions, named);
  return items_[found == positions.end() ? positions.front() : *found].place.table;
}

Result<std::vector<std::optional<PackedItem>>> SeenItems::read_at_once(
    std::span<const std::size_t> positions) const {
  std::vector<std::optional<PackedItem>> items;
  if (positions.size() == 1) {
    TAVOLA_TRY(GetItemResponse response, remote_.get_item(get_request(items_[positions.front()].place)));
    items.push_back(std::move(response.item));
    return items;
  }
  for (std::size_t first = 0; first < positions.size(); first += limits::kTransactionActionsMax) {
    TransactGetItemsRequest request;
    for (std::size_t i = first; i < std::min(positions.size(), first + limits::kTransactionActionsMax); ++i) {
      GetItemRequest get = get_request(items_[positions[i]].place);
      get.consistent_read = false;  // a transaction takes no such parameter
      request.gets.push_back(std::move(get));
    }
    TAVOLA_TRY(TransactGetItemsResponse response, remote_.transact_get_items(request));
    std::ranges::move(response.items, std::back_inserter(items));
  }
  return items;
}

Result<bool> SeenItems::are_as_seen(std::span<const std::size_t> positions) {
  if (positions.empty()) return true;
  if (positions.size() == 1 && items_[positions.front()].source == SeenItem::Source::Read) return true;
  Result<std::vector<std::optional<PackedItem>>> read = read_at_once(positions);
  if (!read && is_conflict(read.error())) return false;  // somebody writes them now
  if (!read) return fail(read.error());
  std::vector<std::optional<PackedItem>>& now = *read;
  bool same = true;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    same = same && now[i] == items_[positions[i]].item;
    learn(positions[i], std::move(now[i]));
  }
  return same;
}

SeenView::SeenView(std::vector<std::optional<std::string>> values, std::vector<store::RangeEntries> ranges)
    : values_(std::move(values)), looked_at_(values_.size()) {
  set_ranges(std::move(ranges));
}

std::optional<std::string_view> SeenView::operator[](std::size_t index) const {
  looked_at_[index] = true;
  const std::optional<std::string>& value = values_[index];
  return value ? std::optional<std::string_view>(*value) : std::nullopt;
}

}  // namespace tavola::governed
