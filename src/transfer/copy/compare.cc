#include "transfer/copy/compare.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <span>

#include "base/locks.h"
#include "database/item_key.h"
#include "transfer/walk/table_scan.h"
#include "value/limits.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kSamplesMax = 10;

using ItemsByKey = std::map<std::string, PackedItem, std::less<>>;

std::vector<std::string> differing(const PackedItem& a, const PackedItem& b) {
  std::vector<std::string> names;
  for (const auto& [name, value] : a.view()) {
    const auto other = b.find(name);
    if (!other || *other != value) names.emplace_back(name);
  }
  for (const auto& [name, value] : b.view()) {
    if (!a.find(name)) names.emplace_back(name);
  }
  return names;
}

// Returns the items of these keys that exist, in any order. Unprocessed keys are asked for again.
Result<std::vector<PackedItem>> get_all(Database& database, KeysToGet keys, const Pause& pause) {
  std::vector<PackedItem> items;
  BatchGetItemRequest request;
  request.tables.push_back(std::move(keys));
  Patience patience(pause);
  for (;;) {
    const std::size_t before = request.tables.front().keys.size();
    TAVOLA_TRY(BatchGetItemResponse response,
               patiently(pause, [&] { return database.batch_get_item(request); }));
    for (TableItems& table : response.tables) std::ranges::move(table.items, std::back_inserter(items));
    if (response.unprocessed_keys.empty()) return items;
    request.tables = std::move(response.unprocessed_keys);
    if (request.tables.front().keys.size() < before) patience.made_progress();
    if (!patience.wait()) {
      return fail(Error(ErrorCode::Throttling,
                        "the table " + request.tables.front().table_name +
                            " returns no more items at this time; give it more capacity, or wait"));
    }
  }
}

// Thread safety: all methods.
class Comparing {
 public:
  Comparing(const TableDescription& table, const CopyOptions& options) : table_(table), options_(options) {}

  std::uint64_t looked_at() const { return looked_at_; }
  std::uint64_t counted() const { return counted_; }
  Comparison found() {
    const MutexLock lock(mutex_);
    return found_;
  }

  // Looks each item of one side up on the other.
  Result<void> look_for(const Side& from, const Side& to) {
    return scan(from, {}, [&]() { return in_batches(to, /*projection=*/{}, &Comparing::note); });
  }
  // Counts the items of a side.
  Result<void> count(const Side& side) {
    return scan(side, Select::Count, one_at_a_time([&](const SegmentPage& page) -> Result<void> {
                  counted_ += page.count;
                  return {};
                }));
  }
  // Looks each key of the second side up on the first.
  Result<void> look_back(const Side& from, const Side& to) {
    return scan(to, {}, [&]() { return in_batches(from, keys_only_, &Comparing::note_extra); });
  }

 private:
  using Note = void (Comparing::*)(const PackedItem& item, const ItemsByKey& there);

  std::string key_bytes(const PackedItem& item) const {
    return key_of_item(table_.key_schema, item.view()).bytes();
  }

  Result<void> scan(const Side& side, std::optional<Select> select, const BeginThread& begin) {
    const auto expected = static_cast<std::uint64_t>(std::max<std::int64_t>(0, table_.item_count));
    return scan_table(side,
                      {.table_name = table_.table_name,
                       .places = std::vector<SegmentPlace>(options_.segments),
                       .threads = options_.workers,
                       .consistent_read = options_.consistent_reads,
                       .select = select,
                       .pause = options_.pause,
                       .tick =
                           [&] {
                             if (options_.progress) options_.progress(looked_at_, expected);
                           }},
                      begin);
  }

  // Looks the items of each page up on a side, as many as one request takes, and notes what was found.
  Result<UsePage> in_batches(const Side& other, const KeysToGet& projection, Note note_item) {
    TAVOLA_TRY(const std::shared_ptr<Database> database, other.connect());
    return UsePage([this, database, projection, note_item](const SegmentPage& page) -> Result<void> {
      for (std::span<const PackedItem> rest(page.items); !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), limits::kBatchGetKeysMax));
        TAVOLA_TRY(const ItemsByKey there, found_in(*database, some, projection));
        for (const PackedItem& item : some) (this->*note_item)(item, there);
        looked_at_ += some.size();
        rest = rest.subspan(some.size());
      }
      return {};
    });
  }

  // Returns the items that a database has under the keys of these items.
  Result<ItemsByKey> found_in(Database& database, std::span<const PackedItem> items,
                              const KeysToGet& projection) {
    KeysToGet keys = projection;
    keys.table_name = table_.table_name;
    keys.consistent_read = options_.consistent_reads;
    for (const PackedItem& item : items) keys.keys.push_back(key_of_item(table_.key_schema, item.view()));
    TAVOLA_TRY(std::vector<PackedItem> found, get_all(database, std::move(keys), options_.pause));
    ItemsByKey by_key;
    for (PackedItem& item : found) {
      std::string bytes = key_bytes(item);
      by_key.emplace(std::move(bytes), std::move(item));
    }
    return by_key;
  }

  void note(const PackedItem& item, const ItemsByKey& there) {
    const auto other = there.find(key_bytes(item));
    if (other == there.end()) return add(Difference::Kind::OnlyInFrom, item, {});
    if (other->second == item) {
      const MutexLock lock(mutex_);
      ++found_.same;
      return;
    }
    add(Difference::Kind::Differs, item, differing(item, other->second));
  }

  void note_extra(const PackedItem& item, const ItemsByKey& there) {
    if (!there.contains(key_bytes(item))) add(Difference::Kind::OnlyInTo, item, {});
  }

  void add(Difference::Kind kind, const PackedItem& item, std::vector<std::string> attributes) {
    const MutexLock lock(mutex_);
    (kind == Difference::Kind::Differs      ? found_.differ
     : kind == Difference::Kind::OnlyInFrom ? found_.only_in_from
                                            : found_.only_in_to) += 1;
    if (found_.samples.size() < kSamplesMax)
      found_.samples.push_back(
          {kind, shown(key_of_item(table_.key_schema, item.view())), std::move(attributes)});
  }

  static KeysToGet keys_only(const TableDescription& table) {
    KeysToGet projection;
    for (const KeySchemaElement& element : table.key_schema) {
      const std::string placeholder = "#k" + std::to_string(projection.names.size());
      projection.names.emplace(placeholder, element.name);
      projection.projection_expression +=
          (projection.projection_expression.empty() ? "" : ", ") + placeholder;
    }
    return projection;
  }

  const TableDescription& table_;
  const CopyOptions& options_;
  const KeysToGet keys_only_ = keys_only(table_);
  std::atomic<std::uint64_t> looked_at_ = 0;
  std::atomic<std::uint64_t> counted_ = 0;
  Mutex mutex_;
  Comparison found_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace

Result<Comparison> compare_tables(const Side& from, const Side& to, const TableDescription& table,
                                  const CopyOptions& options) {
  Comparing comparing(table, options);
  TAVOLA_CHECK(comparing.look_for(from, to));
  TAVOLA_CHECK(comparing.count(to));
  const Comparison so_far = comparing.found();
  if (comparing.counted() > so_far.same + so_far.differ) TAVOLA_CHECK(comparing.look_back(from, to));
  return comparing.found();
}

}  // namespace tavola::transfer
