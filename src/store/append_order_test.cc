// Appends get growing numbers, and a reader that follows them misses none: on every store.
#include "store/append_order.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/test_stores.h"

namespace tavola::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLog = "log/";

std::vector<std::uint64_t> numbers_in(const Store& store, const std::string& prefix) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [key, value] : entries_of(*store.snapshot(), {prefix, prefix + "\xff\xff\xff\xff\xff"}))
    numbers.push_back(appended_number(key));
  return numbers;
}

Result<void> append(Store& store, std::uint64_t least, const std::string& value = "v") {
  return write(store, {Write::append(kLog, least, value)});
}

TEST(AppendOrder, NumbersAreAboveWhatIsThereAndAboveTheLeast) {
  AppendOrder order([](std::string_view prefix) -> Result<std::uint64_t> { return prefix == "a" ? 100 : 7; });
  std::vector<Write> writes{Write::append("a", 5, ""), Write::put("p", ""), Write::append("a", 5, "")};
  {
    const auto ticket = order.number(writes);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(appended_number(writes[0].key), 100U);
    EXPECT_EQ(appended_number(writes[2].key), 101U);
    EXPECT_EQ(writes[0].kind, Write::Kind::Put);
    EXPECT_EQ(writes[1].key, "p");
    EXPECT_EQ(order.settled("a").value(), 100U);
  }
  EXPECT_EQ(order.settled("a").value(), 102U);
  std::vector<Write> later{Write::append("b", 500, "")};
  ASSERT_TRUE(order.number(later));
  EXPECT_EQ(appended_number(later[0].key), 500U);
}

TEST(AppendOrder, IsSettledBelowTheFirstThatIsUnderWay) {
  AppendOrder order([](std::string_view) -> Result<std::uint64_t> { return 0; });
  std::vector<Write> a{Write::append("a", 0, "")};
  std::vector<Write> b{Write::append("a", 0, "")};
  std::vector<Write> c{Write::append("a", 0, "")};
  auto first = std::make_unique<Result<AppendOrder::Ticket>>(order.number(a));
  auto second = std::make_unique<Result<AppendOrder::Ticket>>(order.number(b));
  auto third = std::make_unique<Result<AppendOrder::Ticket>>(order.number(c));
  second.reset();
  EXPECT_EQ(order.settled("a").value(), 0U);
  first.reset();
  EXPECT_EQ(order.settled("a").value(), 2U);
  third.reset();
  EXPECT_EQ(order.settled("a").value(), 3U);
}

TEST(AppendOrder, WhatCannotBeLookedUpIsNotNumbered) {
  AppendOrder order([](std::string_view) -> Result<std::uint64_t> { return fail(Error::corrupt("torn")); });
  std::vector<Write> writes{Write::append("a", 0, "")};
  EXPECT_EQ(order.number(writes).error().message(), "torn");
  EXPECT_EQ(order.settled("a").error().message(), "torn");
}

class Appends : public testing::TestWithParam<StoreKind> {
 protected:
  ScratchDirectory scratch_;
  std::unique_ptr<Store> store_ = GetParam().open(scratch_);
};

INSTANTIATE_TEST_SUITE_P(, Appends, testing::ValuesIn(kStoresUnderTest),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Appends, StandUnderTheirPrefixInTheirOrder) {
  ASSERT_TRUE(write(*store_, {Write::append(kLog, 10, "one"), Write::append(kLog, 10, "two")}));
  ASSERT_TRUE(append(*store_, 3, "three"));
  EXPECT_THAT(numbers_in(*store_, kLog), ElementsAre(10, 11, 12));
  EXPECT_EQ(store_->settled(kLog).value(), 13U);
}

TEST_P(Appends, WithoutAPrefixAreRefused) {
  EXPECT_EQ(write(*store_, {Write::append("", 1, "x")}).error().code(), ErrorCode::Internal);
}

TEST_P(Appends, OfARuleThatFailsLeaveNothing) {
  const auto refused =
      store_->transact({}, {}, [](const View&) -> Result<Decision> { return fail(Error::internal("no")); });
  EXPECT_FALSE(refused);
  EXPECT_THAT(numbers_in(*store_, kLog), IsEmpty());
}

// Writers append under their own locks and commit in any order; a reader that follows sees each of them exactly once.
TEST_P(Appends, AReaderThatFollowsMissesNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 300;
  std::atomic<int> finished = 0;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kEach; ++i)
        EXPECT_TRUE(append(*store_, 0, std::to_string(writer) + ":" + std::to_string(i)));
      ++finished;
    });
  }
  std::vector<std::string> seen;
  std::string from = kLog;
  for (bool last_round = false;;) {
    last_round = finished == kWriters;
    const auto settled = store_->settled(kLog);
    ASSERT_TRUE(settled);
    const auto snapshot = store_->snapshot();
    const auto cursor = snapshot->range({from, Write::append(kLog, *settled, "").key}, Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      seen.emplace_back(cursor->value());
      from = std::string(cursor->key()) + '\0';
    }
    if (last_round) break;
  }
  EXPECT_EQ(seen.size(), std::size_t{kWriters} * kEach);
  // In order for each writer.
  for (int writer = 0; writer < kWriters; ++writer) {
    int next = 0;
    for (const std::string& value : seen) {
      if (!value.starts_with(std::to_string(writer) + ":")) continue;
      EXPECT_EQ(value, std::to_string(writer) + ":" + std::to_string(next++));
    }
    EXPECT_EQ(next, kEach);
  }
}

// The clock may have been set back between openings: the numbers still grow.
TEST(RocksAppends, GrowAcrossOpenings) {
  const ScratchDirectory scratch;
  {
    const auto store = open_rocks_or_die(scratch / "store");
    ASSERT_TRUE(append(*store, 1'000'000));
  }
  const auto store = open_rocks_or_die(scratch / "store");
  EXPECT_EQ(store->settled(kLog).value(), 1'000'001U);
  ASSERT_TRUE(append(*store, 5));
  EXPECT_THAT(numbers_in(*store, kLog), ElementsAre(1'000'000, 1'000'001));
}

}  // namespace
}  // namespace tavola::store
