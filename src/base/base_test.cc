// The small pieces of the room: assertions, clock, randomness, names, locks.
#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/locks.h"
#include "base/named.h"
#include "base/random.h"

namespace tavola {
namespace {

TEST(AssertDeathTest, StopsAndSaysWhere) {
  TAVOLA_ASSERT(1 + 1 == 2);
  EXPECT_DEATH(TAVOLA_ASSERT(1 + 1 == 3), "broken invariant at .*base_test.cc:[0-9]+: 1 \\+ 1 == 3");
}

TEST(Clock, TellsTheMachinesTime) {
  using std::chrono::system_clock;
  const auto before = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  const WallTime now = Clock::system().now();
  EXPECT_GE(now, before);
  EXPECT_LE(now, system_clock::now());
}

TEST(Clock, CanBeSetInATest) {
  struct FixedClock final : Clock {
    WallTime now() const override { return WallTime(std::chrono::seconds(1'700'000'000)); }
  };
  const FixedClock fixed;
  const Clock& clock = fixed;
  EXPECT_EQ(clock.now().time_since_epoch(), std::chrono::seconds(1'700'000'000));
}

// RFC 9562: version 4 and variant 10 are at fixed positions, all other bits are random.
TEST(Random, UuidHasItsFormAndItsBits) {
  struct Fixed final : Random {
    explicit Fixed(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t next() override { return bits_; }
    std::uint64_t bits_;
  };
  Fixed zeros(0);
  Fixed ones(~std::uint64_t{0});
  Fixed mixed(0x0123456789ABCDEF);
  EXPECT_EQ(make_uuid(zeros), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(make_uuid(ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(make_uuid(mixed), "01234567-89ab-4def-8123-456789abcdef");
}

// github.com/ulid/spec: 48 bits of time, 80 of randomness.
TEST(Random, UlidBeginsWithTheTime) {
  struct Fixed final : Random {
    explicit Fixed(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t next() override { return bits_; }
    std::uint64_t bits_;
  };
  const auto at = [](std::int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); };
  Fixed zeros(0);
  Fixed ones(~std::uint64_t{0});
  EXPECT_EQ(make_ulid(at(0), zeros), "00000000000000000000000000");
  EXPECT_EQ(make_ulid(at(0xFFFF'FFFF'FFFF), ones), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  EXPECT_EQ(make_ulid(at(1'469'918'176'385), zeros), "01ARYZ6S410000000000000000");
  EXPECT_LT(make_ulid(at(1'469'918'176'385), ones), make_ulid(at(1'469'918'176'386), zeros));
  EXPECT_NE(make_ulid(at(5), Random::system()), make_ulid(at(5), Random::system()));
}

TEST(Random, RecordedRepeatsWhatWasDrawn) {
  RecordedRandom random(Random::system());
  const std::string first = make_uuid(random);
  const std::string second = make_uuid(random);
  EXPECT_NE(first, second);
  random.rewind();
  EXPECT_EQ(make_uuid(random), first);
  random.rewind();
  EXPECT_EQ(make_uuid(random), first);
  EXPECT_EQ(make_uuid(random), second);
  EXPECT_NE(make_uuid(random), second) << "what was never drawn is new";
}

TEST(Random, SystemDoesNotRepeat) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Random::system().next());
  EXPECT_EQ(seen.size(), 1000U);
}

using TableId = Named<struct TableIdTag, std::uint32_t>;
using IndexId = Named<struct IndexIdTag, std::uint32_t>;
using Label = Named<struct LabelTag, std::string>;

static_assert(!std::convertible_to<TableId, IndexId>);
static_assert(!std::convertible_to<std::uint32_t, TableId>);
static_assert(!std::equality_comparable_with<TableId, IndexId>);

TEST(Named, ComparesByValue) {
  EXPECT_EQ(TableId(7), TableId(7));
  EXPECT_LT(TableId(7), TableId(8));
  EXPECT_EQ(TableId().value(), 0U);
  EXPECT_EQ(Label("x").value(), "x");
}

template <class Lock, class MutexType>
int count_with_lock() {
  constexpr int kThreads = 4;
  constexpr int kTimes = 10'000;
  MutexType mutex;
  int count = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kTimes; ++j) {
        const Lock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return count;
}

TEST(Locks, KeepOthersOut) {
  EXPECT_EQ((count_with_lock<MutexLock, Mutex>()), 40'000);
  EXPECT_EQ((count_with_lock<ExclusiveLock, SharedMutex>()), 40'000);
}

TEST(Locks, ReadersShare) {
  SharedMutex mutex;
  const SharedLock first(mutex);
  std::thread([&mutex] { const SharedLock second(mutex); }).join();  // hangs if the first excluded it
}

}  // namespace
}  // namespace tavola
