// Sessions, attempts and cookies.
#include "access/identity/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"

namespace tavola::access {
namespace {

TEST(Sessions, EndWhenTheyAreUnusedAndAtLastAnyway) {
  TestClock clock;
  Sessions sessions(clock, Random::system(),
                    {.idle = std::chrono::seconds(10), .whole = std::chrono::seconds(25)});
  const std::string id = sessions.begin({.sub = "anna"});
  for (int i = 0; i < 3; ++i) {
    clock.advance(std::chrono::seconds(8));
    ASSERT_TRUE(sessions.find(id)) << i;
  }
  clock.advance(std::chrono::seconds(8));
  EXPECT_FALSE(sessions.find(id)) << "it is older than a session may be";
  const std::string idle = sessions.begin({.sub = "ben"});
  clock.advance(std::chrono::seconds(11));
  EXPECT_FALSE(sessions.find(idle));
  EXPECT_FALSE(sessions.find(""));
}

TEST(Sessions, TheOneThatIsUnusedForTheLongestTimeMakesRoom) {
  TestClock clock;
  Sessions sessions(clock, Random::system(), {.count = 2});
  const std::string first = sessions.begin({.sub = "a"});
  clock.advance(std::chrono::seconds(1));
  const std::string second = sessions.begin({.sub = "b"});
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(sessions.find(first));
  clock.advance(std::chrono::seconds(1));
  const std::string third = sessions.begin({.sub = "c"});
  EXPECT_TRUE(sessions.find(first));
  EXPECT_FALSE(sessions.find(second));
  EXPECT_EQ(sessions.find(third)->who.sub, "c");
  sessions.end(third);
  EXPECT_FALSE(sessions.find(third));
}

TEST(AttemptLimit, EachSenderHasAFewAttemptsInAPeriod) {
  TestClock clock;
  AttemptLimit limit(clock, 2, std::chrono::seconds(60));
  EXPECT_EQ(limit.note("a").count(), 0);
  EXPECT_EQ(limit.note("a").count(), 0);
  EXPECT_EQ(limit.note("a").count(), 60);
  EXPECT_EQ(limit.note("b").count(), 0);
  clock.advance(std::chrono::seconds(60));
  EXPECT_EQ(limit.note("a").count(), 0);
}

TEST(Cookies, AreFoundByTheirWholeName) {
  EXPECT_EQ(cookie_of("a=1; tavola=xyz; b=2", "tavola"), "xyz");
  EXPECT_EQ(cookie_of("xtavola=1; tavola-other=2", "tavola"), "");
  EXPECT_EQ(cookie_of("", "tavola"), "");
}

}  // namespace
}  // namespace tavola::access
