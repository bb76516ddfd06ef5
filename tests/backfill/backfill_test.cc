// Builds an index over many items during concurrent writes, and compares it with the items.
//
//   backfill_test                                     20,000 items, 2,000 writes per second, 3 kills
//   ITEMS=1000000 WRITES=5000 KILLS=20 backfill_test  the long form; SEED=7 makes other choices
//
// Prints the duration of the build, the number of writes, and the longest wait of a writer, with and without a build.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "engine/engine.h"

namespace tavola {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  return text == nullptr ? otherwise : std::stoull(text);
}

// ---- The table ----

constexpr const char* kTable = "things";
constexpr const char* kIndex = "byColour";

CreateTableRequest table() {
  return {.table_name = kTable,
          .attribute_definitions = {{"id", Type::String}},
          .key_schema = {{"id", KeyType::Hash}}};
}

UpdateTableRequest new_index() {
  return {.table_name = kTable,
          .attribute_definitions = {{"colour", Type::String}, {"size", Type::Number}},
          .created_indexes = {
              {.name = kIndex, .key_schema = {{"colour", KeyType::Hash}, {"size", KeyType::Range}}}}};
}

// One in ten has no colour, and is not in the index.
PackedItem thing(std::uint64_t id, std::uint64_t version) {
  Item item{{"id", "thing " + std::to_string(id)},
            {"size", static_cast<std::int64_t>((id * 7 + version) % 1000)},
            {"version", static_cast<std::int64_t>(version)},
            {"text", std::string(100, static_cast<char>('a' + version % 26))}};
  if ((id + version) % 10 != 0) item["colour"] = "colour " + std::to_string((id + version) % 5000);
  return *pack(item);
}

PackedItem key_of(std::uint64_t id) { return *pack({{"id", "thing " + std::to_string(id)}}); }

void fill(Database& database, std::uint64_t items) {
  constexpr std::uint64_t kBatch = 25;
  for (std::uint64_t id = 0; id < items;) {
    TableWrites batch{.table_name = kTable};
    for (; id < items && batch.writes.size() < kBatch; ++id)
      batch.writes.push_back({BatchWrite::Kind::Put, thing(id, 0)});
    const auto written = database.batch_write_item({.tables = {batch}});
    ASSERT_TRUE(written) << written.error().message();
  }
}

bool is_building(Database& database) {
  return database.describe_table({kTable})->table.index_build.has_value();
}

// ---- Are the index and the items the same? ----

// Two hashes of each entry: no two entries are confused.
using Prints = std::vector<std::pair<std::size_t, std::size_t>>;

struct Scanned {
  Prints all;
  std::int64_t bytes = 0;
};

Scanned scan(Database& database, const std::string& index) {
  Scanned scanned;
  ScanRequest request{.table_name = kTable, .index_name = index};
  do {
    const auto page = database.scan(request);
    EXPECT_TRUE(page) << page.error().message();
    if (!page) break;
    for (const PackedItem& item : page->items) {
      if (!item.find("colour")) continue;
      const std::hash<std::string> hash;
      scanned.all.emplace_back(hash(item.bytes()), hash(item.bytes() + "again"));
      scanned.bytes += static_cast<std::int64_t>(item_size(item.view()));
    }
    request.exclusive_start_key = page->last_evaluated_key;
  } while (request.exclusive_start_key);
  std::ranges::sort(scanned.all);
  return scanned;
}

void expect_same(Database& database) {
  const Scanned items = scan(database, "");
  const Scanned entries = scan(database, kIndex);
  EXPECT_EQ(entries.all.size(), items.all.size());
  EXPECT_TRUE(entries.all == items.all) << "the index is not what the items say";
  const IndexStatistics counted = database.describe_table({kTable})->table.index_statistics.at(kIndex);
  EXPECT_EQ(counted.item_count, static_cast<std::int64_t>(entries.all.size()));
  EXPECT_EQ(counted.size_bytes, entries.bytes);
}

// ---- Writers ----

struct Waits {
  std::vector<float> milliseconds;
  double seconds = 0;

  std::string text() {
    std::ranges::sort(milliseconds);
    if (milliseconds.empty()) return "no writes";
    const auto at = [this](double share) {
      return milliseconds[static_cast<std::size_t>(share * static_cast<double>(milliseconds.size() - 1))];
    };
    std::ostringstream out;
    out << static_cast<int>(static_cast<double>(milliseconds.size()) / seconds)
        << " writes/s; a writer waited " << at(0.5) << " ms (median), " << at(0.99) << " (99 %), "
        << at(0.999) << " (99.9 %), " << at(1) << " at most";
    return out.str();
  }
};

// Writes at a rate, from several threads, until stop(): puts, updates and deletions, of old items and new ones.
class Writers {
 public:
  Writers(Database& database, std::uint64_t items, std::uint64_t per_second)
      : database_(database), items_(items), started_(Clock::now()) {
    const std::chrono::duration<double> pause(static_cast<double>(kThreads) /
                                              static_cast<double>(per_second));
    for (unsigned i = 0; i < kThreads; ++i) threads_.emplace_back([this, i, pause] { run(i, pause); });
  }

  Waits stop() {
    stopping_ = true;
    threads_.clear();
    Waits waits;
    waits.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    for (const auto& some : waits_)
      waits.milliseconds.insert(waits.milliseconds.end(), some.begin(), some.end());
    EXPECT_EQ(failures_, 0);
    return waits;
  }

 private:
  static constexpr unsigned kThreads = 8;

  void run(unsigned number, std::chrono::duration<double> pause) {
    std::mt19937_64 random(from_environment("SEED", 1) * kThreads + number);
    for (std::uint64_t n = 1; !stopping_; ++n) {
      const auto due = started_ + std::chrono::duration_cast<Clock::duration>(pause * static_cast<double>(n));
      std::this_thread::sleep_until(due);
      const auto before = Clock::now();
      if (!write(random, n)) ++failures_;
      waits_[number].push_back(std::chrono::duration<float, std::milli>(Clock::now() - before).count());
    }
  }

  bool write(std::mt19937_64& random, std::uint64_t version) {
    const std::uint64_t id = random() % (items_ + items_ / 10);
    switch (random() % 10) {
      case 0:
        return database_.delete_item({.table_name = kTable, .key = key_of(id)}).has_value();
      case 1:
        return database_
            .update_item(
                {.table_name = kTable,
                 .key = key_of(id),
                 .update_expression = "SET colour = :c, #s = :s",
                 .names = {{"#s", "size"}},
                 .values = *pack({{":c", "painted"}, {":s", static_cast<std::int64_t>(version % 77)}})})
            .has_value();
      default:
        return database_.put_item({.table_name = kTable, .item = thing(id, version)}).has_value();
    }
  }

  Database& database_;
  const std::uint64_t items_;
  const Clock::time_point started_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> failures_ = 0;
  std::array<std::vector<float>, kThreads> waits_;
  std::vector<std::jthread> threads_;
};

// ---- The tests ----

class Backfill : public testing::Test {
 protected:
  void TearDown() override {
    if (!HasFailure()) return;
    scratch_.keep();
    std::cout << "the database is kept in " << root_ << "\n";
  }
  // As in the server: waiting for the disk would need as many threads as there are clients.
  std::unique_ptr<engine::Engine> open() const {
    auto store = store::open_rocks(root_ / "data", {.durability = store::Durability::Deferred});
    EXPECT_TRUE(store) << store.error().message();
    return store ? std::make_unique<engine::Engine>(*std::move(store)) : nullptr;
  }

  const std::uint64_t items_ = from_environment("ITEMS", 20'000);
  const std::uint64_t writes_ = from_environment("WRITES", 2'000);
  ScratchDirectory scratch_;
  fs::path root_ = scratch_.path();
};

void measure(engine::Engine& database, std::uint64_t items, std::uint64_t per_second) {
  ASSERT_TRUE(database.create_table(table()));
  const auto filling = Clock::now();
  fill(database, items);
  std::cout << items << " items in " << std::chrono::duration<double>(Clock::now() - filling).count()
            << " s\n";
  database.start_sweeping();
  Writers without(database, items, per_second);
  std::this_thread::sleep_for(std::chrono::seconds(items > 100'000 ? 10 : 1));
  std::cout << "without a build: " << without.stop().text() << std::endl;

  Writers writers(database, items, per_second);
  const auto started = Clock::now();
  const auto created = database.update_table(new_index());
  ASSERT_TRUE(created) << created.error().message();
  while (is_building(database)) std::this_thread::sleep_for(milliseconds(1));
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  std::cout << "with a build:    " << writers.stop().text() << "\n"
            << "the index was built in " << seconds << " s" << std::endl;
  expect_same(database);
}

TEST_F(Backfill, OnDisk) {
  const auto database = open();
  ASSERT_NE(database, nullptr);
  measure(*database, items_, writes_);
}

TEST_F(Backfill, InMemory) {
  engine::Engine database(store::open_memory());
  measure(database, items_, writes_);
}

// Builds and receives writes until it is killed. A separate process: a forked one would have RocksDB without its
// threads.
TEST_F(Backfill, DISABLED_Victim) {
  const char* folder = std::getenv("VICTIM");  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  ASSERT_NE(folder, nullptr) << "KilledInTheMiddle runs this";
  fs::remove_all(std::exchange(root_, folder));
  const auto database = open();
  ASSERT_NE(database, nullptr);
  Writers writers(*database, items_, writes_);
  for (;;) static_cast<void>(database->sweep());
}

// A process that builds and receives writes is killed repeatedly.
TEST_F(Backfill, KilledInTheMiddle) {
  const std::uint64_t kills = from_environment("KILLS", 3);
  std::mt19937_64 random(from_environment("SEED", 1));
  {
    const auto database = open();
    ASSERT_NE(database, nullptr);
    ASSERT_TRUE(database->create_table(table()));
    fill(*database, items_);
    ASSERT_TRUE(database->update_table(new_index()));
  }
  std::uint64_t in_the_middle = 0;
  for (std::uint64_t kill_number = 0; kill_number < kills; ++kill_number) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setenv("VICTIM", root_.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): a process of one thread
      execl("/proc/self/exe", "backfill_test", "--gtest_also_run_disabled_tests",
            "--gtest_filter=Backfill.DISABLED_Victim", nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(milliseconds(150 + random() % 250));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself, with " << WEXITSTATUS(status);
    const auto database = open();
    ASSERT_NE(database, nullptr);
    if (is_building(*database)) ++in_the_middle;
  }
  std::cout << kills << " kills, " << in_the_middle << " of them before the index was there\n";
  const auto database = open();
  ASSERT_NE(database, nullptr);
  while (is_building(*database)) ASSERT_TRUE(database->sweep());
  expect_same(*database);
}

}  // namespace
}  // namespace tavola
