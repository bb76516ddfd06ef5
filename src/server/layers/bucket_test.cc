#include "server/layers/bucket.h"

#include <deque>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/test_clock.h"

namespace tavola::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Bucket, BeginsWithASecondAndKeepsFiveMinutes) {
  TestClock clock;
  Bucket bucket(10, clock.now());
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 10);
  clock.advance(seconds(100));
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 1010);
  clock.advance(std::chrono::hours(5));
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 3000);
}

TEST(Bucket, WhoTakesTooMuchWaitsLonger) {
  TestClock clock;
  Bucket bucket(2, clock.now());
  bucket.take(12, clock.now());
  EXPECT_FALSE(bucket.has_units(clock.now()));
  clock.advance(seconds(5));
  EXPECT_FALSE(bucket.has_units(clock.now())) << "exactly none are none";
  clock.advance(milliseconds(1));
  EXPECT_TRUE(bucket.has_units(clock.now()));
}

TEST(Bucket, WhatIsGivenBackIsNotMoreThanItHolds) {
  TestClock clock;
  Bucket bucket(1, clock.now());
  bucket.take(-1000, clock.now());
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), kBurstSeconds);
}

TEST(Bucket, ANewRateCountsFromNowOn) {
  TestClock clock;
  Bucket bucket(10, clock.now());
  clock.advance(seconds(9));
  bucket.change_rate(1, clock.now());
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 100) << "what came in at the old rate stays";
  clock.advance(seconds(50));
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 150);
  bucket.change_rate(0.1, clock.now());
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 30);
}

TEST(Bucket, AClockThatIsSetBackTakesNothingAway) {
  TestClock clock;
  Bucket bucket(1, clock.now());
  clock.advance(-std::chrono::hours(1));
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 1);
  clock.advance(seconds(3));
  EXPECT_DOUBLE_EQ(bucket.units(clock.now()), 4);
}

// For any sequence of requests, the admitted units of any period are at most those of the rate, the burst, and one
// request.
TEST(Bucket, OverALongTimeNoMoreIsLetInThanTheRateAndTheBurst) {
  const bool is_true = rc::check("the sum is bounded", [] {
    TestClock clock;
    const double rate = *rc::gen::inRange(1, 50);
    const int units_max = *rc::gen::inRange(1, 200);
    const int pause_max = *rc::gen::inRange(1, 3000);
    Bucket bucket(rate, clock.now());
    const WallTime begin = clock.now();
    double let_in = 0;
    for (int i = 0; i < 500; ++i) {
      clock.advance(milliseconds(*rc::gen::inRange(0, pause_max)));
      const double units = *rc::gen::inRange(1, units_max + 1) * 0.5;
      if (bucket.has_units(clock.now())) {
        bucket.take(units, clock.now());
        let_in += units;
      }
      const std::chrono::duration<double> passed = clock.now() - begin;
      RC_ASSERT(let_in <= rate * passed.count() + rate + units_max * 0.5 + 1e-6);
    }
  });
  EXPECT_TRUE(is_true);
}

// After a long pause at most 300 seconds' worth is admitted at once.
TEST(Bucket, ABurstIsFiveMinutesOfTheRate) {
  TestClock clock;
  Bucket bucket(7, clock.now());
  clock.advance(std::chrono::hours(10));
  int let_in = 0;
  while (bucket.has_units(clock.now())) {
    bucket.take(1, clock.now());
    ++let_in;
  }
  EXPECT_EQ(let_in, 2100);
}

TEST(Bucket, WhoStaysBelowTheRateIsNeverRefused) {
  const bool is_true = rc::check("at most the rate in any second", [] {
    TestClock clock;
    const int rate = *rc::gen::inRange(1, 40);
    Bucket bucket(rate, clock.now());
    std::deque<std::pair<WallTime, int>> last_second;
    for (int i = 0; i < 300; ++i) {
      clock.advance(milliseconds(*rc::gen::inRange(0, 400)));
      while (!last_second.empty() && clock.now() - last_second.front().first >= seconds(1))
        last_second.pop_front();
      int used = 0;
      for (const auto& [when, units] : last_second) used += units;
      if (used == rate) continue;
      const int units = *rc::gen::inRange(1, rate - used + 1);
      RC_ASSERT(bucket.has_units(clock.now()));
      bucket.take(units, clock.now());
      last_second.emplace_back(clock.now(), units);
    }
  });
  EXPECT_TRUE(is_true);
}

}  // namespace
}  // namespace tavola::server
