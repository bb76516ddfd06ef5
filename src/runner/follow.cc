#include "runner/follow.h"

#include <algorithm>
#include <map>
#include <thread>

#include "base/retry.h"
#include "design/items/entity_item.h"
#include "design/items/references.h"
#include "design/requests/pattern_request.h"

namespace tavola::runner {
namespace {

constexpr std::size_t kKeysMax = 100;  // of a BatchGetItem
// A response leaves keys unprocessed beyond 16 MB, and when the table is throttled.
constexpr int kAttemptsMax = 20;
constexpr RetryDelays kFollowDelays{.first = std::chrono::milliseconds(2),
                                    .longest = std::chrono::milliseconds(500)};

using ItemsByKey = std::map<std::string, Item, std::less<>>;  // by the packed key

class Targets {
 public:
  Targets(const Runner::Parts& parts, const design::Pattern& pattern) : parts_(parts), pattern_(pattern) {}

  Result<ItemsByKey> read(std::vector<PackedItem> keys) {
    const auto bytes = [](const PackedItem& key) -> const std::string& { return key.bytes(); };
    std::ranges::sort(keys, {}, bytes);  // a request may not name a key twice
    const auto repeated = std::ranges::unique(keys, {}, bytes);
    keys.erase(repeated.begin(), repeated.end());
    for (std::size_t at = 0; at < keys.size(); at += kKeysMax) {
      const std::size_t end = std::min(keys.size(), at + kKeysMax);
      TAVOLA_CHECK(read_batch(
          {keys.begin() + static_cast<std::ptrdiff_t>(at), keys.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return std::move(items_);
  }
  double units() const { return units_; }

 private:
  Result<void> read_batch(std::vector<PackedItem> keys) {
    BatchGetItemRequest request{.return_consumed_capacity = ReturnConsumedCapacity::Total};
    request.tables.push_back({.table_name = parts_.design.table.name,
                              .keys = std::move(keys),
                              .consistent_read = pattern_.consistent});
    for (int attempt = 1; attempt <= kAttemptsMax; ++attempt) {
      TAVOLA_TRY(BatchGetItemResponse response, parts_.database.batch_get_item(request));
      TAVOLA_CHECK(take(response));
      if (response.unprocessed_keys.empty()) return {};
      request.tables = std::move(response.unprocessed_keys);
      std::this_thread::sleep_for(delay_after(attempt, kFollowDelays, parts_.random));
    }
    return fail(Error(ErrorCode::ProvisionedThroughputExceeded,
                      "The table left keys of a BatchGetItem unprocessed " + std::to_string(kAttemptsMax) +
                          " times; try again later"));
  }

  Result<void> take(const BatchGetItemResponse& response) {
    for (const ConsumedCapacity& capacity : response.consumed_capacity) units_ += capacity.units;
    const design::Table& table = parts_.design.table;
    for (const TableItems& answered : response.tables) {
      for (const PackedItem& packed : answered.items) {
        Item item = packed.unpack();
        Item key{{table.hash.name, item.at(table.hash.name)}};
        if (table.range) key[table.range->name] = item.at(table.range->name);
        TAVOLA_TRY(const PackedItem packed_key, pack(key));
        items_.emplace(packed_key.bytes(), std::move(item));
      }
    }
    return {};
  }

  const Runner::Parts& parts_;
  const design::Pattern& pattern_;
  ItemsByKey items_;
  double units_ = 0;
};

}  // namespace

Result<void> follow(const Runner::Parts& parts, const design::Pattern& pattern,
                    const std::vector<Found::One>& sources, Found& found) {
  const design::Design& design = parts.design;
  const design::Entity* const target = design::found_by(design, pattern);
  if (target == nullptr) return fail(Error::internal("a reference to no entity"));
  std::vector<PackedItem> keys;
  for (const Found::One& source : sources) {
    const auto reference = source.fields.find(pattern.follow.text);
    const design::Attribute* const field = source.entity->find_field(pattern.follow.text);
    if (reference == source.fields.end() || field == nullptr) continue;
    const std::optional<Item> key =
        design::referenced_key(design, *source.entity, *field, reference->second, source.fields);
    if (!key) continue;
    TAVOLA_TRY(PackedItem packed, pack(*key));
    keys.push_back(std::move(packed));
  }
  Targets targets(parts, pattern);
  TAVOLA_TRY(const ItemsByKey items, targets.read(keys));
  found.read_units += targets.units();
  for (const PackedItem& key : keys) {
    const auto item = items.find(key.bytes());
    design::Decoded decoded = item == items.end() ? design::Decoded() : design::decode(design, item->second);
    if (decoded.entity != target || design::is_softly_deleted(design, *target, item->second)) {
      ++found.missing;
    } else {
      found.entities.push_back({target, std::move(decoded.fields)});
    }
  }
  return {};
}

}  // namespace tavola::runner
