#include "work/frontier.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using testing::ElementsAre;

Url page(const std::string& target) { return *parse_url("https://a.de" + target); }

TEST(Frontier, IsReadByBreadthAndOnce) {
  Frontier frontier({.pages = 10, .depth = 2});
  EXPECT_TRUE(frontier.add({.url = page("/deep"), .depth = 2}));
  EXPECT_TRUE(frontier.add({.url = page("/1"), .depth = 1}));
  EXPECT_FALSE(frontier.add({.url = page("/1"), .depth = 0}));
  EXPECT_TRUE(frontier.add({.url = page("/2"), .depth = 1}));
  EXPECT_FALSE(frontier.add({.url = page("/deeper"), .depth = 3}));
  EXPECT_FALSE(frontier.add({.url = page("/1"), .depth = 3}));  // a link back is not beyond the limits
  EXPECT_TRUE(frontier.mark(page("/3")));
  EXPECT_FALSE(frontier.add({.url = page("/3"), .depth = 1}));
  std::vector<std::string> order;
  while (const auto next = frontier.next()) order.push_back(next->url.target());
  EXPECT_THAT(order, ElementsAre("/1", "/2", "/deep"));
  EXPECT_EQ(frontier.beyond_limits(), 1);
}

TEST(Frontier, EndsAtItsLimit) {
  Frontier frontier({.pages = 2, .depth = 2});
  for (const char* const target : {"/1", "/2", "/3", "/1"}) frontier.add({.url = page(target)});
  EXPECT_TRUE(frontier.next());
  EXPECT_TRUE(frontier.next());
  EXPECT_FALSE(frontier.next());
  EXPECT_EQ(frontier.beyond_limits(), 1);
}

// How many pages of a trap are read.
template <class Target>
unsigned taken(unsigned count, const Target& target) {
  TrapDetector detector;
  unsigned pages = 0;
  for (unsigned i = 0; i < count; ++i) pages += detector.is_trap(page(target(i))) ? 0U : 1U;
  return pages;
}

// covers AH17
TEST(Traps, AreRecognised) {
  const auto number = [](unsigned i) { return std::to_string(i); };
  EXPECT_EQ(
      taken(500, [&](unsigned i) { return "/events/" + number(1990 + i % 60) + "/" + number(1 + i % 12); }),
      60);
  EXPECT_EQ(taken(500, [&](unsigned i) { return "/events?month=" + number(i); }), 60);
  EXPECT_EQ(
      taken(500,
            [&](unsigned i) { return "/day/" + number(2000 + i / 28 % 10) + "-01-" + number(10 + i % 18); }),
      60);
  EXPECT_EQ(taken(500, [&](unsigned i) { return "/list?color=" + number(i) + "&size=1&sort=2"; }), 100);
  EXPECT_EQ(taken(10,
                  [&](unsigned i) {
                    std::string path;
                    for (unsigned k = 0; k <= i; ++k) path += "/a/b";
                    return path;
                  }),
            2);
  EXPECT_EQ(taken(30,
                  [&](unsigned i) {
                    std::string path;
                    for (unsigned k = 0; k <= i; ++k) path += "/s" + number(k);
                    return path;
                  }),
            16);
  EXPECT_EQ(taken(1, [](unsigned) { return "/" + std::string(1000, 'a'); }), 0);
}

TEST(Traps, AreNotProducts) {
  const auto number = [](unsigned i) { return std::to_string(i); };
  EXPECT_EQ(taken(5000, [&](unsigned i) { return "/product/" + number(i); }), 5000);
  EXPECT_EQ(taken(5000, [&](unsigned i) { return "/product.php?id=" + number(i); }), 5000);
  EXPECT_EQ(taken(5000, [&](unsigned i) { return "/p?id=" + number(i) + "&variant=2"; }), 5000);
  EXPECT_EQ(taken(5000, [&](unsigned i) { return "/2026/lamp-" + number(i); }), 5000);
}

}  // namespace
}  // namespace crawler
