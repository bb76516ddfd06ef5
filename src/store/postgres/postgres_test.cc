// Tests of what only a store on PostgreSQL has: long keys, refusals, and servers that go away. store_test.cc has the rest.
#include <array>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/stored_key.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

using testing::HasSubstr;

TEST(StoredKey, HasItsFirstBytesAndTheHashOfTheRest) {
  const std::string shorter(kIndexedKeyBytes, 'a');
  EXPECT_FALSE(stored_key(shorter).is_long());
  EXPECT_EQ(stored_key(shorter).hash, "");
  const std::string longer = shorter + "b";
  EXPECT_TRUE(stored_key(longer).is_long());
  EXPECT_EQ(stored_key(longer).rest, "b");
  EXPECT_EQ(stored_key(longer).hash.size(), 32U);
}

TEST(StoredKey, ArraysAreReadBack) {
  const std::array<std::int64_t, 4> values{0, -1, 1, std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(int64_array_in(binary_int64_array(values)).value(), std::vector(values.begin(), values.end()));
  EXPECT_EQ(int64_array_in(binary_int64_array({})).value(), std::vector<std::int64_t>());
  EXPECT_EQ(int64_array_in("short").error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(int_in(binary_int16(-2)).value(), -2);
  EXPECT_EQ(int_in("abc").error().code(), ErrorCode::Corrupt);
}

// Keys around the length that is indexed, with the same beginning, in every order and over several pages.
TEST(PostgresLongKeys, AreOrderedAsAllOthers) {
  const auto store = open_postgres_or_die(new_postgres_schema());
  std::mt19937 random(7);
  std::map<std::string, std::string> model;
  std::vector<Write> writes;
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = kIndexedKeyBytes - 2 + random() % 5;
    std::string key(length, 'k');
    for (std::size_t at = kIndexedKeyBytes - 3; at < length; ++at)
      key[at] = static_cast<char>("\0\x7f\xff"[random() % 3]);
    if (random() % 3 == 0) key = std::string(1, static_cast<char>(random()));
    if (key.starts_with(kReservedPrefix)) continue;
    model[key] = std::to_string(i);
    writes.push_back(Write::put(key, std::to_string(i)));
  }
  ASSERT_TRUE(write(*store, writes));
  std::vector<std::string> keys{""};
  for (const auto& [key, value] : model) keys.push_back(key);
  const auto snapshot = store->snapshot();
  for (int i = 0; i < 200; ++i) {
    const KeyRange range{keys[random() % keys.size()], keys[random() % keys.size()]};
    Entries expected;
    for (const auto& [key, value] : model) {
      if (key >= range.from && (range.to.empty() || key < range.to)) expected.emplace_back(key, value);
    }
    ASSERT_EQ(entries_of(*snapshot, range), expected);
    std::ranges::reverse(expected);
    ASSERT_EQ(entries_of(*snapshot, range, Direction::Backward), expected);
  }
  for (const auto& [key, value] : model) ASSERT_EQ(*store->get(key), value);
  const std::string middle = keys[keys.size() / 2];
  ASSERT_TRUE(write(*store, {Write::erase_range(middle, "")}));
  model.erase(model.find(middle), model.end());
  EXPECT_EQ(entries_of(*store->snapshot(), {}), Entries(model.begin(), model.end()));
}

TEST(PostgresCounters, ManySlotsAreOneEntryAlsoAtTheEndOfAPage) {
  const auto store = open_postgres_or_die(new_postgres_schema());
  const std::vector<std::int64_t> one{1, -1};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i)
        ASSERT_TRUE(write(*store, {Write::add("n" + std::to_string(i), one), Write::add("m", one)}));
    });
  }
  threads.clear();
  const Entries entries = entries_of(*store->snapshot(), {});
  ASSERT_EQ(entries.size(), 41U);
  for (const auto& [key, value] : entries)
    EXPECT_EQ(decode_counters(value, 2).value(),
              key == "m" ? (std::vector<std::int64_t>{320, -320}) : (std::vector<std::int64_t>{8, -8}));
  Entries backward = entries_of(*store->snapshot(), {}, Direction::Backward);
  std::ranges::reverse(backward);
  EXPECT_EQ(backward, entries);
}

std::string refusal_of(const PostgresOptions& options) {
  const auto opened = open_postgres(options);
  return opened ? "opened" : opened.error().message();
}

TEST(PostgresRefusals, AreInWords) {
  const std::string url = shared_postgres().url();
  EXPECT_THAT(refusal_of({.url = "postgresql://[x"}), HasSubstr("the address of PostgreSQL cannot be read"));
  EXPECT_THAT(refusal_of({.url = url, .schema = "a-b"}), HasSubstr("the name of a schema"));
  EXPECT_THAT(refusal_of({.url = "postgresql:///postgres?host=/nowhere"}),
              HasSubstr("PostgreSQL cannot be reached"));
  EXPECT_THAT(refusal_of({.url = url + "&options=-csynchronous_commit%3Doff"}),
              HasSubstr("before they are on disk (synchronous_commit = off)"));
  EXPECT_THAT(refusal_of({.url = url + "&options=-cdefault_transaction_read_only%3Don"}),
              HasSubstr("accepts no writes"));
}

TEST(PostgresRefusals, ANewerSchemaIsLeftAlone) {
  const PostgresOptions options = new_postgres_schema();
  {
    const auto store = open_postgres_or_die(options);
  }
  shared_postgres().sql("UPDATE " + options.schema + ".format SET version = 99");
  EXPECT_THAT(refusal_of(options), HasSubstr("has version 99"));
}

TEST(PostgresLeader, IsFollowedByAnother) {
  const PostgresOptions options = new_postgres_schema();
  auto first = open_postgres_or_die(options);
  const auto second = open_postgres_or_die(options);
  EXPECT_TRUE(first->leads());
  EXPECT_FALSE(second->leads());
  first.reset();  // PostgreSQL ends its connections a moment later
  for (int i = 0; i < 1000 && !second->leads(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(second->leads());
}

TEST(PostgresAppends, AnOpenTransactionOfAnotherKeepsReadersBehindItAndNotWriters) {
  const PostgresOptions options = new_postgres_schema();
  const auto store = open_postgres_or_die(options);
  const auto other = open_postgres_or_die(options);
  ASSERT_TRUE(write(*store, {Write::append("log", 10, "a")}));
  EXPECT_EQ(store->settled("log").value(), 11U);
  const std::vector<std::string> keys{"k"};
  const auto done = other->transact(keys, {}, [&](const View&) -> Result<Decision> {
    // It may still append with any number from here on.
    EXPECT_TRUE(write(*store, {Write::append("log", 20, "b")}));
    EXPECT_EQ(store->settled("log").value(), 11U);
    return Decision{{Write::append("log", 15, "c")}};
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(store->settled("log").value(), 22U);
  EXPECT_EQ(entries_of(*store->snapshot(), {"log", "loh"}).size(), 3U);
}

// Adds to one number until told to stop; every addition counts once, whatever happens to the server.
class Adders {
 public:
  explicit Adders(Store& store) : store_(store) {
    for (int t = 0; t < kAdders; ++t) threads_.emplace_back([this, t] { run("n" + std::to_string(t)); });
  }
  void wait_for(int additions) {
    while (added_ < additions) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int added() const { return added_; }
  void stop() {
    stops_ = true;
    threads_.clear();
  }
  void expect_all() {
    int sum = 0;
    for (int t = 0; t < kAdders; ++t) sum += std::stoi(store_.get("n" + std::to_string(t))->value_or("0"));
    EXPECT_EQ(sum, added_);
    EXPECT_EQ(decode_counters(store_.get("sum")->value_or(""), 1)->front(), added_);
  }

 private:
  static constexpr int kAdders = 4;

  void run(const std::string& key) {
    const std::vector<std::string> keys{key};
    const std::vector<std::int64_t> one{1};
    while (!stops_) {
      const auto done = store_.transact(keys, {}, [&](const View& view) -> Result<Decision> {
        const int before = std::stoi(std::string(view[0].value_or("0")));
        return Decision{{Write::put(key, std::to_string(before + 1)), Write::add("sum", one)}};
      });
      ASSERT_TRUE(done) << done.error().message();
      ++added_;
    }
  }

  Store& store_;
  std::atomic<bool> stops_ = false;
  std::atomic<int> added_ = 0;
  std::vector<std::jthread> threads_;
};

TEST(PostgresCrash, OfTheServerLosesNothingAndRepeatsNothing) {
  PostgresServer server;
  const auto store = open_postgres_or_die({.url = server.url()});
  Adders adders(*store);
  for (int round = 0; round < 3; ++round) {
    adders.wait_for(adders.added() + 100);
    server.stop(SIGKILL);
    server.start();
  }
  adders.wait_for(adders.added() + 100);
  adders.stop();
  adders.expect_all();
}

TEST(PostgresCrash, OfThePrimaryLosesNothingWithASynchronousStandby) {
  PostgresServer primary({"wal_level=replica"});
  PostgresServer standby({}, &primary);
  primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  primary.sql("SELECT pg_reload_conf()");
  const auto store =
      open_postgres_or_die({.url = "postgresql:///postgres?user=tavola&host=" + primary.directory() + "," +
                                   standby.directory() + "&target_session_attrs=read-write"});
  Adders adders(*store);
  adders.wait_for(300);
  primary.stop(SIGKILL);
  standby.promote();
  adders.wait_for(adders.added() + 200);
  adders.stop();
  adders.expect_all();
}

}  // namespace
}  // namespace tavola::store
