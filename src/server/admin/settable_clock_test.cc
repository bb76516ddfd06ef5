#include "server/admin/settable_clock.h"

#include <thread>

#include <gtest/gtest.h>

namespace tavola::server {
namespace {

using std::chrono::hours;

constexpr WallTime kTime = std::chrono::sys_days(std::chrono::year(2026) / 1 / 15);

TEST(SettableClock, StandsStillOnceItIsSet) {
  SettableClock clock;
  EXPECT_FALSE(clock.is_set());
  EXPECT_GE(clock.now(), Clock::system().now() - hours(1));
  clock.set(kTime);
  EXPECT_TRUE(clock.advance(hours(2)));
  EXPECT_EQ(clock.now(), kTime + hours(2));
  clock.release();
  EXPECT_GE(clock.now(), Clock::system().now() - hours(1));
}

TEST(SettableClock, DoesNotLeaveTheYearsThatHaveFourDigits) {
  SettableClock clock;
  clock.set(kTime);
  EXPECT_FALSE(clock.advance(hours(24) * 366 * 8000));
  EXPECT_FALSE(clock.advance(std::chrono::milliseconds::max()));
  EXPECT_EQ(clock.now(), kTime);
}

// A thread that sends an answer may begin the next request, which has its own time.
TEST(SettableClock, TheTimeOfARequestIsItsOwn) {
  SettableClock clock;
  clock.set(kTime);
  {
    const SettableClock::ForRequest request(kTime - hours(1));
    EXPECT_EQ(clock.now(), kTime - hours(1));
    {
      const SettableClock::ForRequest next(std::nullopt);
      EXPECT_EQ(clock.now(), kTime);
    }
    EXPECT_EQ(clock.now(), kTime - hours(1));
    std::thread([&clock] { EXPECT_EQ(clock.now(), kTime); }).join();
  }
  EXPECT_EQ(clock.now(), kTime);
}

}  // namespace
}  // namespace tavola::server
