// Time to live on both stores, with a clock that the test moves.
#include "engine/background/expiry.h"

#include <atomic>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Returns the keys of all expiry entries.
std::set<std::string> expiries_in(const Dump& dump) {
  std::set<std::string> keys;
  for (auto it = dump.lower_bound("\x05"); it != dump.lower_bound("\x06"); ++it) keys.insert(it->first);
  return keys;
}

class Expiring : public testing::TestWithParam<StoreKind> {
 protected:
  Expiring() : db_(GetParam(), clock_) { EXPECT_TRUE(db_->create_table(good_table("Music"))); }

  void enable(const std::string& attribute = "expires", const std::string& table = "Music") {
    const auto done = db_->update_time_to_live({table, attribute, true});
    ASSERT_TRUE(done) << text_of(done.error());
    EXPECT_EQ(done->attribute_name, attribute);
    EXPECT_TRUE(done->enabled);
  }
  void disable(const std::string& attribute = "expires") {
    const auto done = db_->update_time_to_live({"Music", attribute, false});
    ASSERT_TRUE(done) << text_of(done.error());
    EXPECT_FALSE(done->enabled);
  }
  // An item of partition "p" with an index key; its expiry is `in` seconds from now.
  void put_expiring(int sk, std::int64_t in) { put_with(sk, clock_.seconds() + in); }
  void put_with(int sk, Value expires) {
    ASSERT_TRUE(db_->put_item({.table_name = "Music",
                               .item = *pack({{"pk", "p"},
                                              {"sk", sk},
                                              {"a", Binary{std::to_string(sk)}},
                                              {"expires", std::move(expires)}})}));
  }
  void sweep() {
    const auto swept = db_->sweep();
    ASSERT_TRUE(swept) << text_of(swept.error());
    db_.expect_consistent("Music");
  }
  std::vector<int> left(const std::string& index = "") {
    std::vector<int> numbers;
    for (const PackedItem& one : db_.scan_all("Music", index)) {
      numbers.push_back(static_cast<int>(one.find("sk")->number().to_int64().value_or(-1)));
    }
    std::ranges::sort(numbers);
    return numbers;
  }
  // Every item with a whole number of seconds in `attribute` has its entry, and there is no other.
  void expect_exact_entries(const std::string& attribute = "expires") {
    const std::string record = db_.record("Music");
    const auto schema = decode_schema(record).value();
    std::set<std::string> expected;
    for (const PackedItem& one : db_.scan_all("Music")) {
      const auto value = one.find(attribute);
      if (!value || value->type() != Type::Number || !value->number().to_int64()) continue;
      const auto at = static_cast<std::uint64_t>(*value->number().to_int64());
      expected.insert(expiry_key(at, item_key(*schema, one.view())));
    }
    EXPECT_EQ(expiries_in(db_.dump()), expected);
  }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Expiring, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// ---- When items are removed ----

TEST_P(Expiring, ItemsGoWhenTheirTimeHasComeAndNotBefore) {
  enable();
  put_expiring(1, 0);
  put_expiring(2, 10);
  put_expiring(3, -100);
  put_expiring(4, 11);
  EXPECT_THAT(left(), ElementsAre(1, 2, 3, 4)) << "until they are swept, all are there";
  sweep();
  EXPECT_THAT(left(), ElementsAre(2, 4));
  EXPECT_THAT(left("byA"), ElementsAre(2, 4));
  EXPECT_THAT(left("localA"), ElementsAre(2, 4));
  clock_.advance(seconds(10) - std::chrono::milliseconds(1));
  sweep();
  EXPECT_THAT(left(), ElementsAre(2, 4));
  clock_.advance(std::chrono::milliseconds(1));
  sweep();
  EXPECT_THAT(left(), ElementsAre(4));
  EXPECT_EQ(db_->describe_table({"Music"})->table.item_count, 1);
  expect_exact_entries();
  clock_.advance(seconds(1));
  sweep();
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_THAT(expiries_in(db_.dump()), IsEmpty());
}

TEST_P(Expiring, WhatIsNoTimeIsIgnored) {
  enable();
  const std::int64_t now = clock_.seconds();
  constexpr std::int64_t kFiveYears = std::int64_t{5} * 365 * 24 * 60 * 60;
  put_with(1, std::to_string(now - 60));           // a string
  put_with(2, now - kFiveYears);                   // likely never meant as a time
  put_with(3, 0);                                  //
  put_with(4, -5);                                 //
  put_with(5, *Number::parse("1e30"));             //
  put_with(6, List{now - 60});                     //
  put_with(7, NumberSet::of({now - 60}).value());  //
  put_with(8, Null{});                             //
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 9})")}));
  put_with(10, now - kFiveYears + 1);  // just young enough
  put_with(11, *Number::parse(std::to_string(now - 60) + ".5"));
  put_with(12, *Number::parse(std::to_string((now - 60) / 10) + "e1"));
  put_with(13, *Number::parse(std::to_string(now) + ".0001"));  // not quite yet
  sweep();
  EXPECT_THAT(left(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 13));
  clock_.advance(seconds(1));
  sweep();
  EXPECT_THAT(left(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(Expiring, AChangedTimeIsHonoured) {
  enable();
  for (int i = 1; i <= 6; ++i) put_expiring(i, 10);
  const auto change = [&](int sk, const std::string& expression, const Item& values) {
    const auto done = db_->update_item({.table_name = "Music",
                                        .key = *pack({{"pk", "p"}, {"sk", sk}}),
                                        .update_expression = expression,
                                        .values = *pack(values)});
    ASSERT_TRUE(done) << text_of(done.error());
  };
  change(1, "SET expires = expires + :more", {{":more", 100}});
  change(2, "REMOVE expires", {});
  change(3, "SET expires = :never", {{":never", "never"}});
  change(4, "SET expires = :soon", {{":soon", clock_.seconds() + 1}});
  change(5, "SET x = :x", {{":x", 1}});
  ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "p", sk: 6})")}));
  expect_exact_entries();
  clock_.advance(seconds(1));
  sweep();
  EXPECT_THAT(left(), ElementsAre(1, 2, 3, 5));
  clock_.advance(seconds(9));
  sweep();
  EXPECT_THAT(left(), ElementsAre(1, 2, 3));
  clock_.advance(seconds(100));
  sweep();
  EXPECT_THAT(left(), ElementsAre(2, 3));
  expect_exact_entries();
}

TEST_P(Expiring, BatchesAndTransactionsKeepTheTimesToo) {
  enable();
  const Value soon = clock_.seconds() + 5;
  ASSERT_TRUE(db_->batch_write_item(
      {.tables = {{"Music",
                   {{BatchWrite::Kind::Put, *pack({{"pk", "p"}, {"sk", 1}, {"expires", soon}})},
                    {BatchWrite::Kind::Put, *pack({{"pk", "p"}, {"sk", 2}, {"expires", soon}})}}}}}));
  ASSERT_TRUE(db_->transact_write_items(
      {.actions = {
           remove("Music", R"({pk: "p", sk: 1})"),
           PutItemRequest{.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", 3}, {"expires", soon}})},
           update("Music", R"({pk: "p", sk: 2})", "SET expires = expires + :one", {"", "{:one: 1}"})}}));
  expect_exact_entries();
  clock_.advance(seconds(5));
  sweep();
  EXPECT_THAT(left(), ElementsAre(2));
}

TEST_P(Expiring, AKeyMayBeTheTime) {
  enable("sk");
  ASSERT_TRUE(
      db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", clock_.seconds() - 1}})}));
  ASSERT_TRUE(
      db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", clock_.seconds() + 1}})}));
  sweep();
  EXPECT_THAT(left(), ElementsAre(static_cast<int>(clock_.seconds() + 1)));
}

TEST_P(Expiring, ManyItemsGoInOnePass) {
  enable();
  for (int i = 0; i < 260; ++i) put_expiring(i, i < 257 ? -1 : 1);
  sweep();
  EXPECT_THAT(left(), ElementsAre(257, 258, 259));
}

// ---- Switching it on and off ----

// A client that keeps writing already expired items prevents neither the end of a pass nor the progress of other
// tables.
TEST_P(Expiring, APassEndsThoughItemsKeepExpiring) {
  enable();
  for (int i = 0; i < 100; ++i) put_expiring(i, -1);
  std::atomic<bool> over = false;
  {
    const std::jthread writer([&] {
      for (int i = 100; !over; ++i) put_expiring(i, -1);
    });
    EXPECT_TRUE(db_->sweep());
    over = true;
  }
  EXPECT_GE(db_->sweep_totals().expired_items, 100U);
  EXPECT_EQ(db_->sweep_totals().failed_passes, 0U);
}

TEST_P(Expiring, ItemsThatWereThereBeforeAreCollected) {
  for (int i = 0; i < 120; ++i) put_expiring(i, i % 2 == 0 ? -1 : 1000);
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 999})")}));
  EXPECT_THAT(expiries_in(db_.dump()), IsEmpty());
  enable();
  sweep();
  EXPECT_EQ(left().size(), 61U);
  expect_exact_entries();
  clock_.advance(seconds(1000));
  sweep();
  EXPECT_THAT(left(), ElementsAre(999));
}

TEST_P(Expiring, SwitchingOffForgetsAllTimes) {
  enable();
  for (int i = 0; i < 10; ++i) put_expiring(i, 5);
  disable();
  EXPECT_THAT(expiries_in(db_.dump()), IsEmpty());
  put_expiring(10, 5);
  clock_.advance(seconds(6));
  sweep();
  EXPECT_EQ(left().size(), 11U);
  EXPECT_THAT(expiries_in(db_.dump()), IsEmpty());
}

TEST_P(Expiring, AnotherAttributeAfterSwitchingOff) {
  enable();
  put_expiring(1, -1);
  ASSERT_TRUE(db_->put_item(
      {.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", 2}, {"other", clock_.seconds() - 1}})}));
  disable();
  enable("other");
  sweep();
  EXPECT_THAT(left(), ElementsAre(1));
  expect_exact_entries("other");
}

TEST_P(Expiring, Descriptions) {
  EXPECT_EQ(db_->describe_time_to_live({"Music"})->time_to_live.status, TimeToLiveStatus::Disabled);
  enable();
  EXPECT_EQ(db_->describe_time_to_live({"Music"})->time_to_live.status, TimeToLiveStatus::Enabled);
  EXPECT_EQ(db_->describe_time_to_live({"Music"})->time_to_live.attribute_name, "expires");
  EXPECT_EQ(db_->describe_table({"Music"})->table.time_to_live_attribute, "expires");
  disable();
  EXPECT_EQ(db_->describe_time_to_live({"Music"})->time_to_live.status, TimeToLiveStatus::Disabled);
  EXPECT_EQ(db_->describe_time_to_live({"Music"})->time_to_live.attribute_name, "");
}

TEST_P(Expiring, Refusals) {
  const auto error = [&](const UpdateTimeToLiveRequest& request) {
    const Dump before = db_.dump();
    const auto done = db_->update_time_to_live(request);
    EXPECT_TRUE(db_.dump() == before) << "a failed request changed the store";
    return done ? "done" : text_of(done.error());
  };
  const std::string other =
      "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is "
      "expires";
  EXPECT_EQ(error({"Music", "expires", false}), "ValidationException: TimeToLive is already disabled");
  enable();
  EXPECT_EQ(error({"Music", "expires", true}), "ValidationException: TimeToLive is already enabled");
  EXPECT_EQ(error({"Music", "other", true}), other);
  EXPECT_EQ(error({"Music", "other", false}), other);
  const std::string long_name(256, 'x');
  const auto constraint = [](const std::string& name, const std::string& words) {
    return "ValidationException: 1 validation error detected: Value '" + name +
           "' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have "
           "length " +
           words;
  };
  EXPECT_EQ(error({"Nowhere", "", true}), constraint("", "greater than or equal to 1"));
  EXPECT_EQ(error({"Nowhere", long_name, true}), constraint(long_name, "less than or equal to 255"));
  const std::string not_found =
      "ResourceNotFoundException: Requested resource not found: Table: Nowhere not found";
  EXPECT_EQ(error({"Nowhere", "expires", true}), not_found);
  EXPECT_EQ(text_of(db_->describe_time_to_live({"Nowhere"}).error()), not_found);
}

// ---- Deleted tables ----

TEST_P(Expiring, ADeletedTableLeavesNothing) {
  put_expiring(1, 100);
  enable();
  put_expiring(2, 100);
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_.leftovers(), IsEmpty()) << "neither times nor the mark that they are to be collected";
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  put_expiring(3, -1);
  sweep();
  EXPECT_THAT(left(), ElementsAre(3)) << "a table of the same name is another table";
}

// ---- Failures and restarts ----

// A store whose transactions fail once a number of them was done.
class FailingStore final : public store::Store {
 public:
  FailingStore(std::unique_ptr<store::Store> sound, int transactions)
      : sound_(std::move(sound)), left_(transactions) {}

  Result<std::optional<std::string>> get(std::string_view key) const override { return sound_->get(key); }
  std::unique_ptr<store::Snapshot> snapshot() const override { return sound_->snapshot(); }
  Result<void> transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                        const store::WriteRule& rule, store::Contention contention) override {
    if (left_-- <= 0) return fail(Error(ErrorCode::Io, "the disk failed"));
    return sound_->transact(keys, guards, rule, contention);
  }
  Result<std::uint64_t> settled(std::string_view prefix) override { return sound_->settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override {
    sound_->when_durable(std::move(done));
  }
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return sound_->checkpoint(directory);
  }
  Result<void> sync() override { return sound_->sync(); }

 private:
  std::unique_ptr<store::Store> sound_;
  int left_;
};

TEST(ExpiryOnDisk, CollectingGoesOnAfterARestartInTheMiddle) {
  TestClock clock;
  const ScratchDirectory scratch;
  const auto open = [&] {
    auto opened = store::open_rocks(scratch / "data", {.durability = store::Durability::Relaxed});
    EXPECT_TRUE(opened) << text_of(opened.error());
    return *std::move(opened);
  };
  {
    Engine engine(open(), clock);
    ASSERT_TRUE(engine.create_table(simple_table("Plain")));
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(
          engine.put_item({.table_name = "Plain",
                           .item = *pack({{"pk", std::to_string(i)}, {"expires", clock.seconds() + 1}})}));
    }
    ASSERT_TRUE(engine.update_time_to_live({"Plain", "expires", true}));
  }
  clock.advance(seconds(1));
  {
    Engine engine(std::make_unique<FailingStore>(open(), 3), clock);
    const auto swept = engine.sweep();
    ASSERT_FALSE(swept);
    EXPECT_EQ(swept.error().code(), ErrorCode::Io);
    EXPECT_EQ(engine.describe_table({"Plain"})->table.item_count, 200);
  }
  Engine engine(open(), clock);
  ASSERT_TRUE(engine.sweep());
  EXPECT_EQ(engine.describe_table({"Plain"})->table.item_count, 0);
}

TEST(ExpiryOnDisk, ADamagedTableDoesNotKeepOthersWaiting) {
  TestClock clock;
  TestDatabase db(StoreKind::Rocks, clock);
  for (const std::string table : {"Broken", "Music"}) {
    ASSERT_TRUE(db->create_table(simple_table(table)));
    ASSERT_TRUE(db->update_time_to_live({table, "expires", true}));
    ASSERT_TRUE(
        db->put_item({.table_name = table, .item = *pack({{"pk", "a"}, {"expires", clock.seconds()}})}));
  }
  const std::string keys[] = {catalog_key("Broken")};
  ASSERT_TRUE(db.store().transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::put(keys[0], "damaged")}, {}};
  }));
  db.reopen();  // the catalog remembers what it decoded
  const auto swept = db->sweep();
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(db->describe_table({"Music"})->table.item_count, 0);
}

// ---- Concurrency ----

TEST_P(Expiring, SwitchedOnAndOffUnderWritersAndSweeps) {
  {
    std::vector<std::jthread> threads;
    std::atomic<int> running = 3;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 150; ++i) {
          const PackedItem one = *pack({{"pk", "p" + std::to_string(t)},
                                        {"sk", i % 20},
                                        {"a", Binary{"x"}},
                                        {"expires", clock_.seconds() + i % 7 - 3}});
          const auto put = db_->put_item({.table_name = "Music", .item = one});
          EXPECT_TRUE(put) << text_of(put.error());
          if (i % 5 == 0) {
            EXPECT_TRUE(
                db_->delete_item({.table_name = "Music",
                                  .key = *pack({{"pk", "p" + std::to_string(t)}, {"sk", (i + 7) % 20}})}));
          }
        }
        --running;
      });
    }
    threads.emplace_back([&] {
      while (running > 0) {
        clock_.advance(std::chrono::milliseconds(100));
        EXPECT_TRUE(db_->sweep());
      }
    });
    bool enabled = false;
    while (running > 0) {
      enabled = !enabled;
      EXPECT_TRUE(db_->update_time_to_live({"Music", "expires", enabled}));
      std::this_thread::yield();
    }
    threads.clear();
    if (!enabled) enable();
  }
  sweep();
  expect_exact_entries();
  clock_.advance(hours(1));
  sweep();
  EXPECT_THAT(left(), IsEmpty());
}

TEST_P(Expiring, SweptWhileTablesComeAndGo) {
  {
    const std::jthread sweeping([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_TRUE(db_->sweep());
    });
    for (int i = 0; i < 30; ++i) {
      for (int sk = 0; sk < 10; ++sk) put_expiring(sk, sk % 2 == 0 ? -1 : 100);
      enable();
      put_expiring(11, -1);
      ASSERT_TRUE(db_->delete_table({"Music"}));
      ASSERT_TRUE(db_->create_table(good_table("Music")));
    }
  }
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_.leftovers(), IsEmpty());
}

TEST(Sweeping, EndsWithTheDatabase) {
  for (int i = 0; i < 50; ++i) {
    Engine engine(store::open_memory());
    engine.start_sweeping();
    if (i % 2 == 0) {
      ASSERT_TRUE(engine.create_table(simple_table("Plain")));
    }
  }
}

}  // namespace
}  // namespace tavola::engine
