#include "web/robots.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Optional;

struct RobotsCase {
  const char* file;
  const char* target;
  bool allowed;
};

// RFC 9309, sections 2.2.1 to 2.2.4, and its examples.
TEST(Robots, DecidesByTheLongestMatch) {
  const char* const example =
      "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\nUser-Agent: "
      "foobot\nDisallow:/\n"
      "Allow:/example/page.html\nAllow:/example/allowed.gif\n\nUser-Agent: tavola-crawler\nUser-Agent: "
      "quxbot\n"
      "Disallow: /a\nAllow: /a/b\n";
  const std::vector<RobotsCase> cases = {
      {"", "/", true},
      {example, "/a", false},
      {example, "/a/c", false},
      {example, "/a/b", true},
      {example, "/a/b/c", true},
      {example, "/example/", true},  // the group of * does not count beside one's own
      {"User-agent: *\nDisallow: /\nAllow: /p\n", "/p/1", true},
      {"User-agent: *\nDisallow: /\nAllow: /p\n", "/q", false},
      {"User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true},  // of two as long, Allow
      {"User-agent: *\nDisallow:\n", "/a", true},
      {"User-agent: *\nDisallow: /*.php$\n", "/x/index.php", false},
      {"User-agent: *\nDisallow: /*.php$\n", "/index.php?a=1", true},
      {"User-agent: *\nDisallow: /*?sort=\n", "/list?sort=price", false},
      {"User-agent: *\nDisallow: /a*b*c\n", "/a1b2b3c4", false},
      {"User-agent: *\nDisallow: /a*b*c$\n", "/abcbd", true},
      {"User-agent: *\nDisallow: /\n", "/robots.txt", true},
      {"User-agent: *\nDisallow: /%7Ejoe\n", "/~joe/x", false},
      {"User-agent: *\nDisallow: /\xC3\xA4\n", "/%c3%a4", false},
      {"User-agent: TAVOLA-Crawler/2.0\nDisallow: /\n", "/", false},
      {"User-agent: tavola\nDisallow: /\n", "/", true},
      {"Disallow: /\n", "/", true},  // before any group
      {"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b",
       false},  // groups of one name are one
      {"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/a", false},
      {"User-agent: a\nCrawl-delay: 1\nUser-agent: tavola-crawler\nDisallow: /x\n", "/x", false},
      {"User-agent: *\r\nDisallow: /a # not this\r\n", "/a", false},
      {"\xEF\xBB\xBFUser-agent: *\nDisallow: /a\n", "/a", false},
      {"<html>not found</html>", "/a", true},
      {"user-agent : *\n disallow : /a\n", "/a", false},
      {"User-agent: *\nDisallow: /with-a-%2A.html\n", "/with-a-*.html", false},  // RFC 9309, section 2.2.3
      {"User-agent: *\nDisallow: /foo-%24\n", "/foo-$", false},
      {"User-agent: *\nDisallow: /foo-%24\n", "/foo-", true},
      {"User-agent: *\nDisallow: /a$\n", "/a$", true},
  };
  for (const RobotsCase& one : cases) {
    EXPECT_EQ(Robots::parse(one.file, "tavola-crawler").allows(one.target), one.allowed)
        << one.file << one.target;
  }
}

TEST(Robots, KnowsDelayAndSitemaps) {
  const Robots robots = Robots::parse(
      "Sitemap: https://a.de/one.xml\nUser-agent: *\nCrawl-delay: 1.5\nSitemap: /two.xml\nUser-agent: "
      "other\nCrawl-delay: 60\n",
      "tavola-crawler");
  EXPECT_THAT(robots.crawl_delay(), Optional(milliseconds(1500)));
  EXPECT_THAT(robots.sitemaps(), ElementsAre("https://a.de/one.xml", "/two.xml"));
  EXPECT_EQ(Robots::parse("User-agent: *\nCrawl-delay: soon\n", "x").crawl_delay(), std::nullopt);
}

TEST(Robots, ReadsOnlyTheBeginningOfAHugeFile) {
  std::string text = "User-agent: *\nDisallow: /a\n" + std::string(kRobotsBytesMax, '#') + "\nDisallow: /b\n";
  const Robots robots = Robots::parse(text, "x");
  EXPECT_FALSE(robots.allows("/a"));
  EXPECT_TRUE(robots.allows("/b"));
}

}  // namespace
}  // namespace crawler
