// Every store under long random histories, compared with a std::map; under many threads, checked for lost
// updates and half-seen transactions; and its checkpoints.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

class StoreModelTest : public testing::TestWithParam<StoreKind> {
 protected:
  ScratchDirectory scratch_;
  std::unique_ptr<Store> store_ = GetParam().open(scratch_);
};

INSTANTIATE_TEST_SUITE_P(, StoreModelTest, testing::ValuesIn(kStoresUnderTest),
                         [](const auto& instance) { return instance.param.name; });

using Model = std::map<std::string, std::string>;

// Random keys and writes. Keys are few and short, so that they coincide, nest and share prefixes.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
  }

  std::string key() {
    static constexpr std::string_view kLetters("\0a\x7f\xff", 4);
    std::string key(below(7), '\0');
    for (char& letter : key) letter = kLetters[below(kLetters.size())];
    if (key.starts_with(kReservedPrefix)) key.front() = 'a';
    return key;
  }

  Write write() {
    // Ranges are rare, as in practice: RocksDB sorts those in memory again for the first read after each.
    if (below(100) == 0) {
      std::string from = key();
      std::string to = below(8) == 0 && from.size() > 3 ? "" : from + key();
      return Write::erase_range(std::move(from), std::move(to));
    }
    if (below(4) == 0) return Write::erase(key());
    return Write::put(key(), std::string(below(300), static_cast<char>('a' + below(26))));
  }

  std::vector<Write> writes() {
    std::vector<Write> writes;
    for (std::size_t count = below(6); count > 0; --count) writes.push_back(write());
    return writes;
  }

 private:
  std::mt19937_64 engine_;
};

void apply_to(Model& model, const std::vector<Write>& writes) {
  for (const Write& write : writes) {
    if (write.kind == Write::Kind::Put) model.insert_or_assign(write.key, write.value);
    if (write.kind == Write::Kind::Erase) model.erase(write.key);
    if (write.kind == Write::Kind::EraseRange && (write.value.empty() || write.key < write.value)) {
      const auto end = write.value.empty() ? model.end() : model.lower_bound(write.value);
      model.erase(model.lower_bound(write.key), end);
    }
  }
}

Entries range_of(const Model& model, const KeyRange& range, Direction direction) {
  Entries entries;
  for (auto at = model.lower_bound(range.from); at != model.end(); ++at) {
    if (!range.to.empty() && at->first >= range.to) break;
    entries.emplace_back(*at);
  }
  if (direction == Direction::Backward) std::ranges::reverse(entries);
  return entries;
}

void expect_same(const Snapshot& snapshot, const Model& model, Random& random) {
  const KeyRange range{random.key(), random.key()};
  const auto direction = random.below(2) == 0 ? Direction::Forward : Direction::Backward;
  ASSERT_EQ(entries_of(snapshot, range, direction), range_of(model, range, direction));
  const std::string key = random.key();
  const auto found = model.find(key);
  ASSERT_EQ(*snapshot.get(key), found == model.end() ? std::nullopt : std::optional(found->second));
}

struct OldState {
  std::unique_ptr<Snapshot> snapshot;
  Model model;
};

// A store on another server takes much longer for each step.
int steps_of(const Store& store) { return store.is_shared() ? 200 : 1000; }

void run_history(Store& store, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Model model;
  std::vector<OldState> old;
  for (int step = 0; step < steps_of(store); ++step) {
    const std::vector<Write> writes = random.writes();
    ASSERT_TRUE(write(store, writes).has_value());
    apply_to(model, writes);
    const std::string key = random.key();
    const auto found = model.find(key);
    ASSERT_EQ(*store.get(key), found == model.end() ? std::nullopt : std::optional(found->second));
    ASSERT_NO_FATAL_FAILURE(expect_same(*store.snapshot(), model, random));
    if (random.below(50) == 0) old.push_back({store.snapshot(), model});
    if (old.size() > 5) old.erase(old.begin() + static_cast<std::ptrdiff_t>(random.below(old.size())));
    if (!old.empty()) {
      const OldState& state = old[random.below(old.size())];
      ASSERT_NO_FATAL_FAILURE(expect_same(*state.snapshot, state.model, random));
    }
  }
  ASSERT_EQ(entries_of(*store.snapshot(), {}), Entries(model.begin(), model.end()));
}

TEST_P(StoreModelTest, AgreesWithAMapOverRandomHistories) {
  const char* wanted = std::getenv("TAVOLA_SEED");
  run_history(*store_, wanted == nullptr ? std::random_device{}() : std::stoull(wanted));
}

TEST_P(StoreModelTest, AgreesWithAMapOverOneKnownHistory) { run_history(*store_, 1); }

// Adds to a decimal number under a key: loses an update unless transactions on the key are serialised.
WriteRule add_to(const std::string& key, int delta) {
  return [key, delta](const View& view) -> Result<Decision> {
    const int before = std::stoi(std::string(view[0].value_or("0")));
    return Decision{{Write::put(key, std::to_string(before + delta))}, {}};
  };
}

constexpr int kModelThreads = 8;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(kModelThreads);
  for (int i = 0; i < kModelThreads; ++i) threads.emplace_back([&work, i] { work(i); });
}

TEST_P(StoreModelTest, NoUpdateOfOneKeyIsLost) {
  constexpr int kPerThread = 500;
  const std::vector<std::string> keys{"n"};
  in_threads([&](int) {
    for (int i = 0; i < kPerThread; ++i) ASSERT_TRUE(store_->transact(keys, {}, add_to("n", 1)).has_value());
  });
  EXPECT_EQ(store_->get("n")->value_or(""), std::to_string(kModelThreads * kPerThread));
}

TEST_P(StoreModelTest, NoAdditionIsLost) {
  constexpr int kPerThread = 500;
  in_threads([&](int thread) {
    const std::vector<std::int64_t> deltas{1, thread};
    for (int i = 0; i < kPerThread; ++i) {
      ASSERT_TRUE(
          write(*store_, {Write::add("n", deltas), Write::put(std::to_string(thread), "")}).has_value());
    }
  });
  const auto counters = decode_counters(store_->get("n")->value_or(""), 2);
  EXPECT_THAT(*counters, testing::ElementsAre(kModelThreads * kPerThread,
                                              kPerThread * kModelThreads * (kModelThreads - 1) / 2));
}

constexpr int kAccounts = 20;
constexpr int kPerAccount = 100;

std::string account(std::size_t index) { return "account" + std::to_string(index); }

int sum_of(const Entries& entries) {
  int sum = 0;
  for (const auto& [key, value] : entries) sum += std::stoi(value);
  return sum;
}

// Moves one unit between accounts; the second account is only named after the first was read.
Result<void> transfer(Store& store, const std::string& from, const std::string& to) {
  const std::vector<std::string> keys{from};
  return store.transact(keys, {}, [&](const View& view) -> Result<Decision> {
    const int balance = std::stoi(std::string(view[0].value_or("")));
    if (balance == 0) return Decision{};
    if (view.size() == 1) return Decision{{}, {to}};
    const int other = std::stoi(std::string(view[1].value_or("")));
    return Decision{
        {Write::put(from, std::to_string(balance - 1)), Write::put(to, std::to_string(other + 1))}, {}};
  });
}

TEST_P(StoreModelTest, TransfersKeepTheSumForEveryReader) {
  std::vector<Write> accounts;
  accounts.reserve(kAccounts);
  for (std::size_t i = 0; i < kAccounts; ++i) {
    accounts.push_back(Write::put(account(i), std::to_string(kPerAccount)));
  }
  ASSERT_TRUE(write(*store_, accounts).has_value());
  in_threads([&](int thread) {
    Random random(static_cast<std::uint64_t>(thread));
    for (int i = 0; i < 500; ++i) {
      if (thread % 4 == 0) {
        const auto snapshot = store_->snapshot();
        ASSERT_EQ(sum_of(entries_of(*snapshot, {})), kAccounts * kPerAccount);
        ASSERT_EQ(sum_of(entries_of(*snapshot, {}, Direction::Backward)), kAccounts * kPerAccount);
        continue;
      }
      const std::size_t from = random.below(kAccounts);
      const std::size_t to = (from + 1 + random.below(kAccounts - 1)) % kAccounts;
      ASSERT_TRUE(transfer(*store_, account(from), account(to)).has_value());
    }
  });
  EXPECT_EQ(sum_of(entries_of(*store_->snapshot(), {})), kAccounts * kPerAccount);
}

// One thread changes the catalog; the others write its version under their key, guarded by it.
TEST_P(StoreModelTest, AGuardedWriteNeverMeetsAnotherVersion) {
  ASSERT_TRUE(write(*store_, {Write::put("catalog", "0"), Write::put("seen", "0")}).has_value());
  std::atomic<int> written = 0;
  std::atomic<bool> changing = true;
  in_threads([&](int thread) {
    const std::vector<std::string> keys{thread == 0 ? "catalog" : "item" + std::to_string(thread)};
    if (thread == 0) {
      for (int version = 1; version <= 200; ++version) {
        // Under the exclusive lock no guarded write is running: all are complete and of the previous version.
        ASSERT_TRUE(store_
                        ->transact(keys, {},
                                   [&](const View& view) -> Result<Decision> {
                                     EXPECT_EQ(view[0], std::to_string(version - 1));
                                     return Decision{{Write::put("catalog", std::to_string(version)),
                                                      Write::erase_range("item", "itemz")},
                                                     {}};
                                   })
                        .has_value());
      }
      changing = false;
      return;
    }
    while (changing) {
      const std::string version = store_->get("catalog")->value_or("");
      const std::vector<Guard> guards{{"catalog", version}};
      const auto done = store_->transact(keys, guards, [&](const View& view) -> Result<Decision> {
        EXPECT_TRUE(!view[0] || view[0] == version) << view[0].value_or("") << " under " << version;
        return Decision{{Write::put(keys[0], version)}, {}};
      });
      if (done) ++written;
      ASSERT_TRUE(done || done.error().code() == ErrorCode::Stale);
    }
  });
  EXPECT_EQ(store_->get("catalog")->value_or(""), "200");
}

TEST_P(StoreModelTest, ACheckpointIsTheStoreAtOneMomentWhileWritersGoOn) {
  // Every transaction writes one number under two keys and a new key, so that a partial copy would show.
  std::atomic<bool> writing = true;
  std::atomic<int> acknowledged = 0;
  std::atomic<int> wanted = 3000;  // per round: a store in memory would write a million in that time
  std::jthread writer([&] {
    for (int i = 1; writing; ++i) {
      while (i > wanted && writing) std::this_thread::yield();
      const std::string number = std::to_string(i);
      ASSERT_TRUE(write(*store_, {Write::put("a", number), Write::put("log/" + number, std::string(500, 'x')),
                                  Write::add("n", std::vector<std::int64_t>{1}), Write::put("z", number)})
                      .has_value());
      acknowledged = i;
    }
  });
  while (acknowledged < 100) std::this_thread::yield();
  for (int round = 0; round < 3; ++round) {
    wanted += 3000;
    const int before = acknowledged;
    const std::filesystem::path place = scratch_ / ("checkpoint" + std::to_string(round));
    const auto made = store_->checkpoint(place);
    ASSERT_TRUE(made.has_value()) << made.error().message();
    const int after = acknowledged + 1;
    const auto copy = open_rocks_or_die(place);
    const int number = std::stoi(copy->get("a")->value_or(""));
    EXPECT_GE(number, before);
    EXPECT_LE(number, after);
    EXPECT_EQ(copy->get("z")->value_or(""), std::to_string(number));
    EXPECT_THAT(*decode_counters(copy->get("n")->value_or(""), 1), testing::ElementsAre(number));
    EXPECT_EQ(entries_of(*copy->snapshot(), {"log/", "log0"}).size(), static_cast<std::size_t>(number));
    // The copy is an independent store.
    ASSERT_TRUE(
        write(*copy, {Write::add("n", std::vector<std::int64_t>{1}), Write::put("own", "1")}).has_value());
    EXPECT_THAT(*decode_counters(copy->get("n")->value_or(""), 1), testing::ElementsAre(number + 1));
    EXPECT_EQ(*store_->get("own"), std::nullopt);
  }
  writing = false;
}

TEST_P(StoreModelTest, ACheckpointRefusesAPlaceThatExists) {
  const auto made = store_->checkpoint(scratch_.path());
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), ErrorCode::Io);
  EXPECT_EQ(made.error().message(), "cannot write a checkpoint to '" + scratch_.path().string() +
                                        "': it exists already; choose a new directory");
}

}  // namespace
}  // namespace tavola::store
