// The contract of every store. A new implementation is added to kStoresUnderTest and must pass all of this.
#include "store/store.h"

#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/frozen.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::string> keys_of(const Snapshot& snapshot, const KeyRange& range,
                                 Direction direction = Direction::Forward) {
  std::vector<std::string> keys;
  for (auto& [key, value] : entries_of(snapshot, range, direction)) keys.push_back(std::move(key));
  return keys;
}

class StoreTest : public testing::TestWithParam<StoreKind> {
 protected:
  void write(const std::vector<Write>& writes) {
    const auto done = store::write(*store_, writes);
    ASSERT_TRUE(done.has_value()) << done.error().message();
  }
  void put(std::string key, std::string value) { write({Write::put(std::move(key), std::move(value))}); }
  std::optional<std::string> get(std::string_view key) {
    auto value = store_->get(key);
    TAVOLA_ASSERT(value.has_value());
    return *value;
  }
  Entries all() { return entries_of(*store_->snapshot(), {}); }

  ScratchDirectory scratch_;
  std::unique_ptr<Store> store_ = GetParam().open(scratch_);
};

INSTANTIATE_TEST_SUITE_P(, StoreTest, testing::ValuesIn(kStoresUnderTest),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(StoreTest, ANewStoreIsEmpty) {
  EXPECT_EQ(get("a"), std::nullopt);
  EXPECT_THAT(all(), IsEmpty());
}

TEST_P(StoreTest, PutsReplacesAndErases) {
  put("a", "1");
  put("b", "2");
  put("a", "3");
  EXPECT_THAT(all(), ElementsAre(Pair("a", "3"), Pair("b", "2")));
  write({Write::erase("a"), Write::erase("never there")});
  EXPECT_EQ(get("a"), std::nullopt);
  EXPECT_THAT(all(), ElementsAre(Pair("b", "2")));
}

TEST_P(StoreTest, AnEmptyValueIsNotAbsence) {
  put("a", "");
  EXPECT_EQ(get("a"), "");
}

TEST_P(StoreTest, HoldsLargeValuesAndTheLongestKey) {
  const std::string value(1'000'000, 'v');
  const std::string key(kKeyBytesMax, 'k');
  put(key, value);
  EXPECT_EQ(get(key), value);
}

TEST_P(StoreTest, RefusesAKeyThatIsTooLong) {
  const auto done = store_->transact({}, {}, [](const View&) -> Result<Decision> {
    return Decision{{Write::put("a", "1"), Write::put(std::string(kKeyBytesMax + 1, 'k'), "")}, {}};
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::Internal);
  EXPECT_EQ(done.error().message(), "a key of 65537 bytes is too long for the store");
  EXPECT_THAT(all(), IsEmpty());
}

TEST_P(StoreTest, RefusesTheKeysThatItKeepsForItself) {
  for (const std::string& key : {std::string(kReservedPrefix), std::string(kReservedKey)}) {
    for (const Write& refused : {Write::put(key, "1"), Write::erase(key)}) {
      const auto done = store::write(*store_, {Write::put("a", "1"), refused});
      ASSERT_FALSE(done.has_value());
      EXPECT_EQ(done.error().message(), "a write names a key that is reserved for the store");
    }
  }
  put("\xff\xff\xff\xfe", "1");
  write({Write::erase_range(std::string(kReservedKey), "")});
  EXPECT_EQ(all().size(), 1U);
  write({Write::erase_range("\xff", std::string(kReservedKey))});
  EXPECT_THAT(all(), IsEmpty());
}

TEST_P(StoreTest, WritesOfOneTransactionApplyInOrder) {
  put("b", "old");
  write({Write::put("a", "1"), Write::erase_range("a", "c"), Write::put("b", "2"), Write::put("c", "3"),
         Write::erase("c"), Write::put("d", "4"), Write::put("d", "5")});
  EXPECT_THAT(all(), ElementsAre(Pair("b", "2"), Pair("d", "5")));
}

struct RangeCase {
  std::string from;
  std::string to;
  std::vector<std::string> keys;
};

TEST_P(StoreTest, RangesAreOrderedAsUnsignedBytesBothWays) {
  using namespace std::string_literals;
  const std::vector<std::string> stored{""s,     "\0"s,    "\0\0"s,        "\0\x01"s,    "a"s,
                                        "a\0"s,  "a\x7f"s, "a\xff"s,       "a\xff\xff"s, "b"s,
                                        "\x80"s, "\xff"s,  "\xff\xff\xff"s};
  for (auto key = stored.rbegin(); key != stored.rend(); ++key) put(*key, "value of " + *key);
  const auto slice = [&](std::size_t from, std::size_t to) {
    return std::vector<std::string>(stored.begin() + static_cast<std::ptrdiff_t>(from),
                                    stored.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const std::vector<RangeCase> cases{
      {"", "", stored},
      {"", "a", slice(0, 4)},
      {"\0"s, "", slice(1, 13)},
      {"a", "a\0"s, slice(4, 5)},
      {"a", "b", slice(4, 9)},
      {"a\x01", "b", slice(6, 9)},
      {"a\xff", "a\xff\xff\xff", slice(7, 9)},
      {"b", "", slice(9, 13)},
      {"\xff", "\xff\xff", slice(11, 12)},
      {"\xff\xff\xff\xff", "", {}},
      {"c", "d", {}},
      {"a", "a", {}},
      {"b", "a", {}},
  };
  const auto snapshot = store_->snapshot();
  for (const auto& [from, to, keys] : cases) {
    SCOPED_TRACE(testing::PrintToString(from) + " to " + testing::PrintToString(to));
    EXPECT_EQ(keys_of(*snapshot, {from, to}), keys);
    EXPECT_EQ(keys_of(*snapshot, {from, to}, Direction::Backward), std::vector(keys.rbegin(), keys.rend()));
  }
  for (const std::string& key : stored) EXPECT_EQ(*snapshot->get(key), "value of " + key);
}

TEST_P(StoreTest, EraseRangeTakesTheEndsOfARange) {
  using namespace std::string_literals;
  const auto fill = [&] {
    for (const std::string& key : {"\0"s, "a"s, "b"s, "c"s, "\xff"s, "\xff\xff"s}) put(key, "");
  };
  const std::vector<RangeCase> cases{
      {"b", "c", {"\0"s, "a", "c", "\xff", "\xff\xff"}},
      {"a", "", {"\0"s}},
      {"", "b", {"b", "c", "\xff", "\xff\xff"}},
      {"", "", {}},
      {"c", "a", {"\0"s, "a", "b", "c", "\xff", "\xff\xff"}},
      {"aa", "ab", {"\0"s, "a", "b", "c", "\xff", "\xff\xff"}},
  };
  for (const auto& [from, to, left] : cases) {
    SCOPED_TRACE(testing::PrintToString(from) + " to " + testing::PrintToString(to));
    fill();
    write({Write::erase_range(from, to)});
    EXPECT_EQ(keys_of(*store_->snapshot(), {}), left);
  }
}

std::vector<std::int64_t> counters_of(const std::optional<std::string>& bytes, std::size_t count) {
  const auto counters = decode_counters(bytes.value_or(""), count);
  TAVOLA_ASSERT(counters.has_value());
  return *counters;
}

TEST_P(StoreTest, AddsCountersElementByElement) {
  using Deltas = std::vector<std::int64_t>;
  write({Write::add("n", Deltas{1, -2})});
  EXPECT_THAT(counters_of(get("n"), 2), ElementsAre(1, -2));
  write({Write::add("n", Deltas{10}), Write::add("n", Deltas{100, 200, 300})});
  EXPECT_THAT(counters_of(get("n"), 4), ElementsAre(111, 198, 300, 0));
  const auto before = store_->snapshot();
  for (int i = 0; i < 100; ++i) write({Write::add("n", Deltas{-1})});
  EXPECT_THAT(counters_of(get("n"), 1), ElementsAre(11));
  EXPECT_THAT(counters_of(*before->get("n"), 1), ElementsAre(111));
  write({Write::erase("n"), Write::add("n", Deltas{7})});
  EXPECT_THAT(counters_of(get("n"), 1), ElementsAre(7));
}

TEST(Counters, DecodingRefusesBytesThatAreNone) {
  const auto counters = decode_counters("123", 1);
  ASSERT_FALSE(counters.has_value());
  EXPECT_EQ(counters.error().code(), ErrorCode::Corrupt);
}

const KeyRange kKept{"kept/", "kept0"};

TEST_P(StoreTest, ReturnsToABranchAsOftenAsAsked) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  write({Write::put("a", "1"), Write::put("b", "1"), Write::put("kept/x", "1"), Write::add("n", {{5}})});
  const auto before = all();
  const auto branch = store_->branch();
  ASSERT_NE(branch, nullptr);
  for (int round = 0; round < 3; ++round) {
    write({Write::put("a", "2"), Write::erase("b"), Write::put("c", "new"), Write::add("n", {{7}})});
    ASSERT_TRUE(store_->return_to(branch.get(), kKept));
    EXPECT_EQ(all(), before);
  }
  write({Write::add("n", {{1}})});
  EXPECT_EQ(store::decode_counters(*get("n"), 1)->front(), 6);
}

TEST_P(StoreTest, AReturnBringsErasedRangesBackAndKeepsWhatIsKept) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  write({Write::put("a1", "1"), Write::put("a2", "1"), Write::put("b", "1"), Write::put("kept/x", "1"),
         Write::put("z", "1")});
  const auto branch = store_->branch();
  write(
      {Write::erase_range("a", ""), Write::put("a2", "2"), Write::put("a3", "2"), Write::put("kept/y", "2")});
  ASSERT_TRUE(store_->return_to(branch.get(), kKept));
  EXPECT_THAT(all(), ElementsAre(Pair("a1", "1"), Pair("a2", "1"), Pair("b", "1"), Pair("kept/y", "2"),
                                 Pair("z", "1")));
}

TEST_P(StoreTest, BranchesAreIndependentOfEachOther) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  put("a", "1");
  auto first = store_->branch();
  put("a", "2");
  put("b", "2");
  auto second = store_->branch();
  put("c", "3");
  ASSERT_TRUE(store_->return_to(first.get(), kKept));
  EXPECT_THAT(all(), ElementsAre(Pair("a", "1")));
  ASSERT_TRUE(store_->return_to(second.get(), kKept));
  EXPECT_THAT(all(), ElementsAre(Pair("a", "2"), Pair("b", "2")));
  second.reset();
  put("d", "4");
  ASSERT_TRUE(store_->return_to(first.get(), kKept));
  EXPECT_THAT(all(), ElementsAre(Pair("a", "1")));
}

TEST_P(StoreTest, WithoutABranchItReturnsToNothing) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  for (const std::size_t entries : {std::size_t{3}, std::size_t{10'010}}) {
    std::vector<Write> writes{Write::put("kept/x", "1")};
    for (std::size_t i = 0; i < entries; ++i) writes.push_back(Write::put("z" + std::to_string(i), "1"));
    write(writes);
    put("a", "1");
    const auto branch = store_->branch();
    ASSERT_TRUE(store_->return_to(nullptr, kKept));
    EXPECT_THAT(all(), ElementsAre(Pair("kept/x", "1")));
    ASSERT_TRUE(store_->return_to(branch.get(), kKept));
    EXPECT_EQ(all().size(), entries + 2);
    ASSERT_TRUE(store_->return_to(nullptr, kKept));
  }
}

TEST_P(StoreTest, AGuardFollowsAReturn) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  put("guarded", "1");
  const auto branch = store_->branch();
  put("guarded", "2");
  const auto holds = [this](const std::string& value) {
    const Guard guard{"guarded", value};
    return store_->transact({}, {&guard, 1}, [](const View&) -> Result<Decision> { return Decision{}; })
        .has_value();
  };
  EXPECT_TRUE(holds("2"));
  ASSERT_TRUE(store_->return_to(branch.get(), kKept));
  EXPECT_TRUE(holds("1"));
  EXPECT_FALSE(holds("2"));
}

// Every writer adds one to both counters of a pair; whatever the moment of a return, they are equal.
TEST_P(StoreTest, AReturnComesBetweenTransactions) {
  if (!store_->branch()) GTEST_SKIP() << "this store cannot return to an earlier state";
  write({Write::put("x", "0"), Write::put("y", "0")});
  const auto branch = store_->branch();
  std::atomic<bool> stop = false;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      const std::vector<std::string> keys{"x", "y"};
      while (!stop) {
        const auto done = store_->transact(keys, {}, [](const View& view) -> Result<Decision> {
          EXPECT_EQ(view[0], view[1]);
          const std::string next = std::to_string(std::stoi(std::string(*view[0])) + 1);
          return Decision{{Write::put("x", next), Write::put("y", next)}};
        });
        EXPECT_TRUE(done);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store_->return_to(branch.get(), kKept));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stop = true;
  writers.clear();
  ASSERT_TRUE(store_->return_to(branch.get(), kKept));
  EXPECT_THAT(all(), ElementsAre(Pair("x", "0"), Pair("y", "0")));
}

TEST_P(StoreTest, ASnapshotSeesNoLaterWrite) {
  for (int i = 0; i < 1000; ++i) put("key" + std::to_string(i), "old");
  const auto before = store_->snapshot();
  const Entries expected = entries_of(*before, {});
  const auto cursor = before->range({}, Direction::Backward);
  for (int i = 0; i < 1000; i += 2) put("key" + std::to_string(i), "new");
  for (int i = 0; i < 1000; i += 5) write({Write::erase("key" + std::to_string(i))});
  put("another", "new");
  write({Write::erase_range("key4", "key6")});
  EXPECT_EQ(entries_of(*before, {}), expected);
  EXPECT_EQ(*before->get("key500"), "old");
  EXPECT_EQ(*before->get("another"), std::nullopt);
  auto entry = expected.rbegin();
  for (; cursor->valid(); cursor->next(), ++entry) ASSERT_EQ(cursor->key(), entry->first);
  EXPECT_EQ(entry, expected.rend());
  EXPECT_EQ(get("key500"), std::nullopt);
  EXPECT_EQ(get("key2"), "new");
}

TEST_P(StoreTest, ARuleSeesTheKeysItAskedForByPosition) {
  put("a", "1");
  put("empty", "");
  const std::vector<std::string> keys{"a", "absent", "empty", "a"};
  int calls = 0;
  const auto done = store_->transact(keys, {}, [&](const View& view) -> Result<Decision> {
    ++calls;
    EXPECT_EQ(view.size(), 4U);
    EXPECT_EQ(view[0], "1");
    EXPECT_EQ(view[1], std::nullopt);
    EXPECT_EQ(view[2], "");
    EXPECT_EQ(view[3], "1");
    return Decision{};
  });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(calls, 1);
}

TEST_P(StoreTest, ARuleThatFailsWritesNothing) {
  put("a", "1");
  const std::vector<std::string> keys{"a"};
  const auto done = store_->transact(
      keys, {}, [](const View&) -> Result<Decision> { return fail(Error::validation("the rule says no")); });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::Validation);
  EXPECT_EQ(done.error().message(), "the rule says no");
  EXPECT_THAT(all(), ElementsAre(Pair("a", "1")));
  put("a", "2");  // its locks are free again
}

TEST_P(StoreTest, FurtherKeysFollowTheOnesAlreadyThere) {
  write({Write::put("a", "b"), Write::put("b", "c"), Write::put("c", "end")});
  const std::vector<std::string> keys{"a"};
  std::vector<std::size_t> sizes;
  const auto done = store_->transact(keys, {}, [&](const View& view) -> Result<Decision> {
    sizes.push_back(view.size());
    const std::string last(*view[view.size() - 1]);
    if (last != "end") return Decision{{Write::put("ignored", "")}, {last}};
    EXPECT_EQ(view[0], "b");
    EXPECT_EQ(view[1], "c");
    return Decision{{Write::put("sum", std::string(*view[0]) + std::string(*view[1]))}, {}};
  });
  ASSERT_TRUE(done.has_value());
  EXPECT_THAT(sizes, ElementsAre(1, 2, 3));
  EXPECT_EQ(get("sum"), "bc");
  EXPECT_EQ(get("ignored"), std::nullopt);
}

TEST_P(StoreTest, FurtherRangesAreReadForTheRule) {
  write({Write::put("a", "1"), Write::put("b1", "x"), Write::put("b2", "y"), Write::put("b3", "z"),
         Write::put("c", "2")});
  const std::vector<std::string> keys{"a"};
  const RangeRead forward{.range = {"b", "c"}, .entries_max = 2};
  const RangeRead backward{.range = {"b", ""}, .direction = Direction::Backward, .entries_max = 9};
  const RangeRead nothing{.range = {"x", "y"}, .entries_max = 9};
  const RangeRead two_bytes{.range = {"b", "c"}, .entries_max = 9, .bytes_max = 2};
  int calls = 0;
  const auto done = store_->transact(keys, {}, [&](const View& view) -> Result<Decision> {
    if (++calls == 1)
      return Decision{.writes = {Write::put("ignored", "")}, .further_ranges = {forward, backward}};
    if (calls == 2)
      return Decision{.writes = {}, .further_keys = {"c"}, .further_ranges = {nothing, two_bytes}};
    EXPECT_EQ(view.size(), 2U);
    EXPECT_EQ(view[1], "2");
    std::vector<std::string> seen;
    for (const std::size_t range : {0U, 1U, 2U, 3U}) {
      std::string text;
      for (const RangeEntry& entry : view.range(range)) text += entry.key + "=" + entry.value + " ";
      seen.push_back(text);
    }
    EXPECT_THAT(seen, ElementsAre("b1=x b2=y ", "c=2 b3=z b2=y b1=x ", "", "b1=x b2=y "));
    return Decision{{Write::put("done", "")}, {}};
  });
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(get("ignored"), std::nullopt);
  EXPECT_EQ(get("done"), "");
}

// A range is not locked: every call sees it as it is then.
TEST_P(StoreTest, AFurtherRangeIsReadAnewForEveryCall) {
  put("b1", "x");
  const RangeRead range{.range = {"b", "c"}, .entries_max = 9};
  std::vector<std::size_t> counts;
  const auto done = store_->transact({}, {}, [&](const View& view) -> Result<Decision> {
    if (counts.empty()) {
      counts.push_back(0);
      return Decision{.writes = {}, .further_ranges = {range}};
    }
    counts.push_back(view.range(0).size());
    if (counts.size() == 2) {
      std::thread([&] { put("b2", "y"); }).join();
      return Decision{.writes = {}, .further_keys = {"b1"}};
    }
    return Decision{};
  });
  ASSERT_TRUE(done.has_value());
  EXPECT_THAT(counts, ElementsAre(0, 1, 2));
}

TEST_P(StoreTest, ARuleThatAsksForEverIsStopped) {
  const auto done =
      store_->transact({}, {}, [](const View&) -> Result<Decision> { return Decision{{}, {"again"}}; });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::TransactionConflict);
  EXPECT_EQ(done.error().message(),
            "Too many concurrent writes to related items; the write was abandoned. Try again.");
}

// Writes "done" under "a" if the guards hold; returns the error code otherwise.
std::optional<ErrorCode> write_guarded(Store& store, std::vector<Guard> guards) {
  const std::vector<std::string> keys{"a"};
  const auto done = store.transact(
      keys, guards, [](const View&) -> Result<Decision> { return Decision{{Write::put("a", "done")}, {}}; });
  if (done) return std::nullopt;
  return done.error().code();
}

TEST_P(StoreTest, GuardsHoldOrFailAsStale) {
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}}), ErrorCode::Stale);
  EXPECT_EQ(get("a"), std::nullopt);
  EXPECT_EQ(write_guarded(*store_, {{"catalog", ""}}), std::nullopt);
  put("catalog", "1");
  for (int again = 0; again < 2; ++again) {  // the first result may come from the disk, the next from memory
    EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}}), std::nullopt);
    EXPECT_EQ(write_guarded(*store_, {{"catalog", "2"}}), ErrorCode::Stale);
    EXPECT_EQ(write_guarded(*store_, {{"catalog", ""}}), ErrorCode::Stale);
    EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}, {"other", "x"}}), ErrorCode::Stale);
    EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}, {"other", ""}}), std::nullopt);
  }
}

TEST_P(StoreTest, AGuardFollowsEveryKindOfChange) {
  put("catalog", "1");
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}}), std::nullopt);
  put("catalog", "2");
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "1"}}), ErrorCode::Stale);
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "2"}}), std::nullopt);
  write({Write::erase("catalog")});
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "2"}}), ErrorCode::Stale);
  put("catalog", "3");
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "3"}}), std::nullopt);
  write({Write::erase_range("c", "d")});
  EXPECT_EQ(write_guarded(*store_, {{"catalog", "3"}}), ErrorCode::Stale);
  EXPECT_EQ(write_guarded(*store_, {{"catalog", ""}}), std::nullopt);
  const Write add = Write::add("catalog", std::vector<std::int64_t>{5});
  write({add});
  EXPECT_EQ(write_guarded(*store_, {{"catalog", ""}}), ErrorCode::Stale);
  EXPECT_EQ(write_guarded(*store_, {{"catalog", add.value}}), std::nullopt);
}

TEST_P(StoreTest, AGuardMayBeAKeyOfTheSameTransaction) {
  put("a", "1");
  EXPECT_EQ(write_guarded(*store_, {{"a", "1"}}), std::nullopt);
  EXPECT_EQ(write_guarded(*store_, {{"a", "1"}}), ErrorCode::Stale);
  EXPECT_EQ(write_guarded(*store_, {{"a", "done"}, {"a", "done"}}), std::nullopt);
}

// Runs a transaction in another thread, which is necessary while this one is inside a rule.
Result<void> refusing_to_wait(Store& store, const std::vector<std::string>& keys, const WriteRule& rule) {
  return std::async(std::launch::async, [&] { return store.transact(keys, {}, rule, Contention::Refuse); })
      .get();
}

Result<Decision> puts_a(const View&) { return Decision{{Write::put("a", "refusing")}, {}}; }

// The position of the key that was held.
std::optional<std::size_t> conflict_of(const Result<void>& done) {
  if (done || done.error().code() != ErrorCode::TransactionConflict) return std::nullopt;
  const auto* conflict = done.error().detail<Conflict>();
  return conflict == nullptr ? std::nullopt : std::optional(conflict->key);
}

TEST_P(StoreTest, RefusesToWaitForAKeyThatIsHeld) {
  const std::vector<std::string> keys{"a"};
  const auto outer = store_->transact(keys, {}, [&](const View&) -> Result<Decision> {
    EXPECT_EQ(conflict_of(refusing_to_wait(*store_, {"x", "a"}, puts_a)), 1U);
    EXPECT_EQ(conflict_of(refusing_to_wait(*store_, {"a"}, puts_a)), 0U);
    EXPECT_TRUE(refusing_to_wait(*store_, {"x", "y"}, [](const View&) -> Result<Decision> {
                  return Decision{{Write::put("y", "1")}, {}};
                }).has_value());
    const auto asks_for_a = [](const View& view) -> Result<Decision> {
      return view.size() == 2 ? Decision{{}, {"a"}} : Decision{{Write::put("z", "1")}, {}};
    };
    EXPECT_EQ(conflict_of(refusing_to_wait(*store_, {"x", "y"}, asks_for_a)), 2U);
    return Decision{{Write::put("a", "outer")}, {}};
  });
  ASSERT_TRUE(outer.has_value());
  EXPECT_THAT(all(), ElementsAre(Pair("a", "outer"), Pair("y", "1")));
  ASSERT_TRUE(refusing_to_wait(*store_, {"a"}, puts_a).has_value());  // now it is free
  EXPECT_EQ(get("a"), "refusing");
}

TEST_P(StoreTest, RefusingWritersLoseNoUpdate) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 200;
  const std::vector<std::string> keys{"n"};
  const auto add_one = [](const View& view) -> Result<Decision> {
    const int before = view[0] ? std::stoi(std::string(*view[0])) : 0;
    return Decision{{Write::put("n", std::to_string(before + 1))}, {}};
  };
  std::atomic<int> conflicts = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < kWrites;) {
          const auto done = store_->transact(keys, {}, add_one, Contention::Refuse);
          done ? ++i : ++conflicts;
          ASSERT_TRUE(done || conflict_of(done) == 0U);
        }
      });
    }
  }
  EXPECT_EQ(get("n"), std::to_string(kThreads * kWrites)) << conflicts << " conflicts";
}

TEST_P(StoreTest, AnswersWhenAllIsDurable) {
  for (int i = 0; i < 3; ++i) {
    if (i > 0) put("a", std::to_string(i));
    std::promise<Result<void>> answer;
    store_->when_durable([&](const Result<void>& result) { answer.set_value(result); });
    EXPECT_TRUE(answer.get_future().get().has_value());
  }
}

TEST_P(StoreTest, TheEndAnswersAllWhoWait) {
  std::atomic<int> answers = 0;
  for (int i = 0; i < 50; ++i) {
    put("key" + std::to_string(i), "1");
    store_->when_durable([&](const Result<void>& result) { answers += result.has_value() ? 1 : 0; });
  }
  store_.reset();
  EXPECT_EQ(answers, 50);
}

TEST_P(StoreTest, AFrozenOneIsWhatItWas) {
  put("a", "1");
  const std::unique_ptr<Store> frozen = freeze(*store_);
  put("a", "2");
  put("b", "3");
  EXPECT_EQ(*frozen->get("a"), "1");
  EXPECT_THAT(entries_of(*frozen->snapshot(), {}), ElementsAre(Pair("a", "1")));
  EXPECT_FALSE(store::write(*frozen, {Write::put("a", "4")}));
  EXPECT_EQ(get("a"), "2");
}

}  // namespace
}  // namespace tavola::store
