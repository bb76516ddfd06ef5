#include "base/retry.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace tavola {
namespace {

using std::chrono::microseconds;

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint64_t number) : number_(number) {}
  std::uint64_t next() override { return number_; }

 private:
  std::uint64_t number_;
};

TEST(Retry, DelaysAreDoubledUpToTheLongestAndHalfOfThemIsRandom) {
  constexpr RetryDelays kDelays{.first = microseconds(100), .longest = microseconds(1000)};
  const microseconds most[] = {microseconds(100), microseconds(200),  microseconds(400),
                               microseconds(800), microseconds(1000), microseconds(1000)};
  FixedRandom least_random(0);
  for (int attempt = 1; attempt <= 6; ++attempt) {
    const microseconds expected = most[attempt - 1];
    FixedRandom most_random(static_cast<std::uint64_t>(expected.count()) / 2);
    EXPECT_EQ(delay_after(attempt, kDelays, least_random), expected / 2) << attempt;
    EXPECT_EQ(delay_after(attempt, kDelays, most_random), expected) << attempt;
    for (int i = 0; i < 100; ++i) EXPECT_LE(delay_after(attempt, kDelays, Random::system()), expected);
  }
}

TEST(Retry, AnyBoundsAndAttemptsAreTaken) {
  FixedRandom random(std::numeric_limits<std::uint64_t>::max());
  constexpr RetryDelays kHours{.first = std::chrono::hours(1), .longest = std::chrono::hours(1000)};
  EXPECT_LE(delay_after(std::numeric_limits<int>::max(), kHours, random), kHours.longest);
  EXPECT_LE(delay_after(-1, kHours, random), kHours.first);
  EXPECT_EQ(delay_after(7, {.first = microseconds(0), .longest = microseconds(0)}, random), microseconds(0));
  EXPECT_LE(delay_after(1, {.first = microseconds(9), .longest = microseconds(5)}, random), microseconds(5));
}

}  // namespace
}  // namespace tavola
