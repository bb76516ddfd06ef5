#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "bench/data.h"
#include "bench/raw_rocks.h"
#include "bench/scale.h"
#include "value/key_codec.h"

namespace tavola::bench {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::uint64_t kFirst = 10'000;
constexpr std::uint64_t kOperations = 20'000;
constexpr std::uint64_t kHotItems = 10'000;  // "hot": the same few items, whatever the total
constexpr unsigned kLoaders = 4;

// The raw entry of an item: a key made as the engine makes it, and the packed item.
std::string raw_key(std::uint64_t number) {
  std::string key("\x02\x00\x00\x00\x01\x00\x00", 7);
  const PackedItem packed = key_of(number);
  append_ordered_u16(key, static_cast<std::uint16_t>(std::hash<std::string>{}(partition_of(number))));
  append_key_part(key, attribute(packed, kPartition));
  append_key_part(key, attribute(packed, kSort));
  return key;
}

PackedItem small(std::uint64_t number, std::uint64_t variant) {
  return small_item(partition_of(number), number % kPartitionItems, variant);
}

// Calls `store` for every number from `from` to `to`, by several threads, and shows the progress.
void load(const char* what, std::uint64_t from, std::uint64_t to,
          const std::function<void(std::uint64_t)>& store) {
  std::atomic<std::uint64_t> next = from;
  std::vector<std::jthread> threads;
  threads.reserve(kLoaders);
  for (unsigned i = 0; i < kLoaders; ++i) {
    threads.emplace_back([&] {
      constexpr std::uint64_t kStep = 1000;
      for (std::uint64_t start = next.fetch_add(kStep); start < to; start = next.fetch_add(kStep)) {
        for (std::uint64_t number = start; number < std::min(start + kStep, to); ++number) store(number);
      }
    });
  }
  while (next < to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (isatty(STDERR_FILENO) == 0) continue;
    std::fprintf(stderr, "\r%s: %llu of %llu items ", what,
                 static_cast<unsigned long long>(std::min(next.load(), to)),
                 static_cast<unsigned long long>(to));
  }
  threads.clear();
  std::fputs("\r", stderr);
}

struct Cost {
  double cpu_ns = 0;
  double wall_ns = 0;
};

// Returns the cost of one call of `operation`, after a tenth as many calls to warm up.
Cost measure(std::uint64_t operations, const std::function<void()>& operation) {
  for (std::uint64_t i = 0; i < operations / 10; ++i) operation();
  const std::int64_t cpu = process_cpu_ns();
  const auto wall = Steady::now();
  for (std::uint64_t i = 0; i < operations; ++i) operation();
  const auto count = static_cast<double>(operations);
  return {.cpu_ns = static_cast<double>(process_cpu_ns() - cpu) / count,
          .wall_ns = std::chrono::duration<double, std::nano>(Steady::now() - wall).count() / count};
}

class Curve {
 public:
  explicit Curve(std::size_t cache_bytes) : cache_bytes_(cache_bytes) {
    open_both();
    need(db_->create_table(table_definition("items", Indexes::None)), "create");
  }

  // Closes and opens the database after loading: otherwise a small table would be read from the memory of the last
  // writes, a large one from files.
  void grow(std::uint64_t to) {
    load("tavola", items_, to, [this](std::uint64_t number) { put(number, 0); });
    load("rocksdb", items_, to, [this](std::uint64_t number) { raw_put(number, 0); });
    items_ = to;
    open_both();
    wait_until_idle();
  }

  // Reads everything once, to fill the cache.
  void warm() {
    ScanRequest request{.table_name = "items", .select = Select::Count};
    do {
      request.exclusive_start_key = need(db_->scan(request), "scan").last_evaluated_key;
    } while (request.exclusive_start_key);
    raw_->read_through();
  }

  // Reads first: the writes leave work behind.
  void measure_all() {
    const std::uint64_t hot = std::min(items_, kHotItems);
    report("get, any item", "tavola", kOperations, [this] { get(any()); });
    report("get, any item", "rocksdb", kOperations, [this] { raw_get(any()); });
    report("get, hot items", "tavola", kOperations, [this, hot] { get(random_.below(hot)); });
    report("get, hot items", "rocksdb", kOperations, [this, hot] { raw_get(random_.below(hot)); });
    report("query of 100", "tavola", kOperations / 20, [this] { query(any()); });
    report("query of 100", "rocksdb", kOperations / 20, [this] { raw_range(any()); });
    report("scan page of 100", "tavola", kOperations / 20, [this] { scan(any()); });
    report("scan page of 100", "rocksdb", kOperations / 20, [this] { raw_range(any()); });
    report("put", "tavola", kOperations, [this] { put(any(), random_.next()); });
    report("put", "rocksdb", kOperations, [this] { raw_put(any(), random_.next()); });
    wait_until_idle();
    report("update", "tavola", kOperations, [this] { update(any()); });
    report("update", "rocksdb", kOperations, [this] { raw_update(any(), random_.next()); });
    wait_until_idle();
  }

  void print_json() const {
    std::printf("[");
    for (std::size_t i = 0; i < lines_.size(); ++i)
      std::printf("%s%s", i == 0 ? "" : ",\n ", lines_[i].c_str());
    std::printf("]\n");
  }

 private:
  void open_both() {
    db_.reset();
    raw_.reset();
    db_ = need(open(directory_, {.durability = Durability::Relaxed, .cache_bytes = cache_bytes_}), "open");
    raw_ = std::make_unique<RawRocks>(raw_directory_, cache_bytes_);
  }

  std::uint64_t any() { return random_.below(items_); }

  void report(const char* what, const char* who, std::uint64_t operations,
              const std::function<void()>& operation) {
    const Cost cost = measure(operations, operation);
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(),
                  R"({"items": %llu, "what": "%s", "who": "%s", "cpu_ns": %.0f, "wall_ns": %.0f})",
                  static_cast<unsigned long long>(items_), what, who, cost.cpu_ns, cost.wall_ns);
    lines_.emplace_back(line.data());
    std::fprintf(stderr, "\r%10llu items  %-18s %-8s %9.2f us CPU %9.2f us wall\n",
                 static_cast<unsigned long long>(items_), what, who, cost.cpu_ns / 1e3, cost.wall_ns / 1e3);
  }

  void get(std::uint64_t number) {
    const auto response = need(db_->get_item({.table_name = "items", .key = key_of(number)}), "get");
    if (!response.item) give_up("get", "an item is missing");
  }
  void raw_get(std::uint64_t number) {
    std::string value;
    if (!raw_->get(raw_key(number), value)) give_up("raw get", "an item is missing");
  }
  void put(std::uint64_t number, std::uint64_t variant) {
    need(db_->put_item({.table_name = "items", .item = small(number, variant)}), "put");
  }
  void raw_put(std::uint64_t number, std::uint64_t variant) {
    raw_->put(raw_key(number), small(number, variant).bytes(), RawRocks::Sync::No);
  }
  // The minimum work of an update: a read and a write.
  void raw_update(std::uint64_t number, std::uint64_t variant) {
    raw_get(number);
    raw_put(number, variant);
  }
  void raw_range(std::uint64_t number) {
    std::vector<std::string> page;
    raw_->read_range(raw_key(number), kPartitionItems, static_cast<std::size_t>(-1), page);
  }
  void update(std::uint64_t number) {
    need(db_->update_item({.table_name = "items",
                           .key = key_of(number),
                           .update_expression = "ADD #c :one",
                           .names = {{"#c", "count"}},
                           .values = one_}),
         "update");
  }
  void query(std::uint64_t number) {
    ItemWriter values;
    values.name(":pk");
    values.string(partition_of(number));
    need(db_->query({.table_name = "items",
                     .key_condition_expression = "pk = :pk",
                     .values = std::move(values).finish()}),
         "query");
  }
  void scan(std::uint64_t number) {
    need(db_->scan({.table_name = "items", .limit = 100, .exclusive_start_key = key_of(number)}), "scan");
  }

  std::size_t cache_bytes_;
  std::filesystem::path directory_ = fresh_directory("curve");
  std::filesystem::path raw_directory_ = fresh_directory("curve-raw");
  std::unique_ptr<Database> db_;
  std::unique_ptr<RawRocks> raw_;
  Random random_{99};
  PackedItem one_ = need(pack({{":one", 1}}), "values");
  std::uint64_t items_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

void run_curve(std::uint64_t items, std::size_t cache_bytes) {
  Curve curve(cache_bytes);
  for (std::uint64_t size = kFirst; size <= items; size *= 10) {
    curve.grow(size);
    curve.warm();
    curve.measure_all();
  }
  curve.print_json();
}

}  // namespace tavola::bench
