#include "bench/stage.h"

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

namespace tavola::bench {

namespace {

void load(Database& db, Use use) {
  const bool indexed = use == Use::ReadIndexed || use == Use::WriteIndexed;
  CreateTableRequest table = table_definition("items", indexed ? Indexes::ByGroup : Indexes::None);
  if (use == Use::WriteStreamed) table.stream = StreamView::NewAndOldImages;
  need(db.create_table(table), "create");
  if (use == Use::WriteRecoverable)
    need(db.update_continuous_backups({.table_name = "items", .enabled = true}), "recovery");
  const std::uint64_t count = use == Use::ReadWide ? kWideItems : indexed ? kIndexedItems : kItems;
  for (std::uint64_t number = 0; number < count; ++number) {
    PackedItem item = use == Use::ReadWide ? small_item(partition_of(0), number) : packed_items()[number];
    need(db.put_item({.table_name = "items", .item = std::move(item)}), "load");
  }
}

// Returns the directory of a loaded, closed database.
std::filesystem::path loaded_directory(const std::string& name, Use use) {
  const auto directory = fresh_directory(name + "-" + std::to_string(std::to_underlying(use)));
  const auto db = need(open(directory, {.durability = Durability::Relaxed}), "open");
  load(*db, use);
  return directory;
}

std::unique_ptr<Database> open_stage(Where where, Use use) {
  if (where == Where::Memory) {
    auto db = open_in_memory();
    load(*db, use);
    return db;
  }
  const bool synced = where == Where::Synced;
  const auto directory = loaded_directory(synced ? "synced" : "relaxed", use);
  auto db = need(open(directory, {.durability = synced ? Durability::Synced : Durability::Relaxed}), "open");
  wait_until_idle();
  return db;
}

std::unique_ptr<Raw> open_raw(Use use) {
  const auto source = loaded_directory("raw-source", use);
  const auto directory = fresh_directory("raw-" + std::to_string(std::to_underlying(use)));
  auto made = std::make_unique<Raw>();
  made->rocks = std::make_unique<RawRocks>(directory, OpenOptions{}.cache_bytes);
  for_each_stored(source, [&](std::string_view key, std::string_view value) {
    constexpr std::size_t kItemBytesMin = 500;  // smaller entries are not items but the catalog and counters
    if (value.size() < kItemBytesMin) return;
    made->rocks->put(key, value, RawRocks::Sync::No);
    made->keys.emplace_back(key);
  });
  // Reopened like Tavola's database: the log becomes a table.
  made->rocks.reset();
  made->rocks = std::make_unique<RawRocks>(directory, OpenOptions{}.cache_bytes);
  wait_until_idle();
  return made;
}

// Thread safety: all methods. Sixteen threads of a benchmark call it at once.
class Stage {
 public:
  Database& database(Where where, Use use) {
    const std::lock_guard lock(mutex_);
    auto& slot = databases_[std::to_underlying(where)][std::to_underlying(use)];
    if (!slot) slot = open_stage(where, use);
    return *slot;
  }
  Raw& raw(Use use) {
    const std::lock_guard lock(mutex_);
    auto& slot = raw_[std::to_underlying(use)];
    if (!slot) slot = open_raw(use);
    return *slot;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    databases_ = {};
    raw_ = {};
  }

 private:
  std::mutex mutex_;
  std::array<std::array<std::unique_ptr<Database>, kUses>, 3> databases_;  // by Where and Use
  std::array<std::unique_ptr<Raw>, kUses> raw_;
};

Stage& stage() {
  static Stage only;
  return only;
}

}  // namespace

Database& database(Where where, Use use) { return stage().database(where, use); }
Raw& raw(Use use) { return stage().raw(use); }
void close_stage() { stage().close(); }

Random fresh_random() {
  static std::atomic<std::uint64_t> seed = 17;
  return Random(seed++);
}

const std::vector<PackedItem>& item_keys() {
  static const std::vector<PackedItem> keys = [] {
    std::vector<PackedItem> made;
    made.reserve(kItems);
    for (std::uint64_t number = 0; number < kItems; ++number) made.push_back(key_of(number));
    return made;
  }();
  return keys;
}

const std::vector<PackedItem>& packed_items() {
  static const std::vector<PackedItem> items = [] {
    std::vector<PackedItem> made;
    made.reserve(kItems);
    for (std::uint64_t number = 0; number < kItems; ++number)
      made.push_back(need(pack(big_item(number)), "pack"));
    return made;
  }();
  return items;
}

PackedItem changed(const PackedItem& item, Random& random) {
  std::string bytes = item.bytes();
  const std::string_view notes = attribute(item, "notes").string();
  const auto at = static_cast<std::size_t>(notes.data() - item.bytes().data());
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>('a' + random.below(26));
  return PackedItem(std::move(bytes));
}

}  // namespace tavola::bench
