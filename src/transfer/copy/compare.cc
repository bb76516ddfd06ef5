#include "transfer/copy/compare.h"

#include <algorithm>
#include <map>

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

// Thread safety: all methods.
class Comparing {
 public:
  Comparing(const TableDescription& table, const CopyOptions& options) : table_(table), options_(options) {}

  std::uint64_t looked_at() const { return looked_at_; }
  Comparison found() {
    const MutexLock lock(mutex_);
    return found_;
  }

  // Each item of the segment is looked for on the other side.
  Result<void> look_for(const Hands& hands, std::size_t segment, const std::atomic<bool>& stopping) {
    return pages(*hands.from, request_of(segment), stopping, [&](const std::vector<PackedItem>& items) {
      return in_batches(items, [&](const std::vector<PackedItem>& some) -> Result<void> {
        TAVOLA_TRY(const ItemsByKey there, found_in(*hands.to, some, /*projection=*/{}));
        for (const PackedItem& item : some) note(item, there);
        return {};
      });
    });
  }

  // How many items of the segment the other side has.
  Result<void> count(const Hands& hands, std::size_t segment, const std::atomic<bool>& stopping) {
    ScanRequest request = request_of(segment);
    request.select = Select::Count;
    while (!stopping) {
      TAVOLA_TRY(ScanResponse page, patiently(options_.pause, [&] { return hands.to->scan(request); }));
      counted_ += static_cast<std::uint64_t>(page.count);
      request.exclusive_start_key = std::move(page.last_evaluated_key);
      if (!request.exclusive_start_key) break;
    }
    return {};
  }
  std::uint64_t counted() const { return counted_; }

  // Each key of the segment on the other side is looked for on this one.
  Result<void> look_back(const Hands& hands, std::size_t segment, const std::atomic<bool>& stopping) {
    return pages(*hands.to, request_of(segment), stopping, [&](const std::vector<PackedItem>& items) {
      return in_batches(items, [&](const std::vector<PackedItem>& some) -> Result<void> {
        TAVOLA_TRY(const ItemsByKey there, found_in(*hands.from, some, keys_only_));
        for (const PackedItem& item : some) {
          if (!there.contains(key_bytes(item))) tell(Difference::Kind::OnlyInTo, item, {});
        }
        return {};
      });
    });
  }

 private:
  std::string key_bytes(const PackedItem& item) const { return key_of(item, table_.key_schema).bytes(); }

  ScanRequest request_of(std::size_t segment) const {
    return {.table_name = table_.table_name,
            .consistent_read = options_.consistent_reads,
            .segment = static_cast<int>(segment),
            .total_segments = static_cast<int>(options_.segments)};
  }

  template <class Use>
  Result<void> pages(Database& database, ScanRequest request, const std::atomic<bool>& stopping, Use use) {
    while (!stopping) {
      TAVOLA_TRY(ScanResponse page, patiently(options_.pause, [&] { return database.scan(request); }));
      TAVOLA_CHECK(use(page.items));
      request.exclusive_start_key = std::move(page.last_evaluated_key);
      if (!request.exclusive_start_key) break;
    }
    return {};
  }

  template <class Use>
  Result<void> in_batches(const std::vector<PackedItem>& items, Use use) {
    for (std::size_t first = 0; first < items.size(); first += limits::kBatchGetKeysMax) {
      const std::size_t last = std::min(first + limits::kBatchGetKeysMax, items.size());
      TAVOLA_CHECK(use(std::vector<PackedItem>(items.begin() + static_cast<std::ptrdiff_t>(first),
                                               items.begin() + static_cast<std::ptrdiff_t>(last))));
      looked_at_ += last - first;
    }
    return {};
  }

  // What a database has of the keys of these items.
  Result<ItemsByKey> found_in(Database& database, const std::vector<PackedItem>& items,
                              const KeysToGet& projection) {
    KeysToGet keys = projection;
    keys.table_name = table_.table_name;
    keys.consistent_read = options_.consistent_reads;
    for (const PackedItem& item : items) keys.keys.push_back(key_of(item, table_.key_schema));
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
    if (other == there.end()) return tell(Difference::Kind::OnlyInFrom, item, {});
    if (other->second == item) {
      const MutexLock lock(mutex_);
      ++found_.same;
      return;
    }
    tell(Difference::Kind::Differs, item, differing(item, other->second));
  }

  void tell(Difference::Kind kind, const PackedItem& item, std::vector<std::string> attributes) {
    const MutexLock lock(mutex_);
    (kind == Difference::Kind::Differs      ? found_.differ
     : kind == Difference::Kind::OnlyInFrom ? found_.only_in_from
                                            : found_.only_in_to) += 1;
    if (found_.samples.size() < kSamplesMax)
      found_.samples.push_back({kind, shown(key_of(item, table_.key_schema)), std::move(attributes)});
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
  std::vector<std::size_t> segments(options.segments);
  for (std::size_t i = 0; i < segments.size(); ++i) segments[i] = i;
  const auto expected = static_cast<std::uint64_t>(std::max<std::int64_t>(0, table.item_count));
  const WorkOptions work{.workers = options.workers, .pause = options.pause, .tick = [&] {
                           if (options.progress) options.progress(comparing.looked_at(), expected);
                         }};
  const auto all = [&](auto method) {
    return for_each_segment(from, to, segments, work,
                            [&](const Hands& hands, std::size_t segment, const auto& stopping) {
                              return (comparing.*method)(hands, segment, stopping);
                            });
  };
  TAVOLA_CHECK(all(&Comparing::look_for));
  TAVOLA_CHECK(all(&Comparing::count));
  const Comparison so_far = comparing.found();
  if (comparing.counted() > so_far.same + so_far.differ) TAVOLA_CHECK(all(&Comparing::look_back));
  return comparing.found();
}

}  // namespace tavola::transfer
