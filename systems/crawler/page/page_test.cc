#include "page/page.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Page page_of(const std::string& html, std::string_view robots_tag = {}) {
  return read_page(Document(html), *parse_url("https://a.de/x/y?z=1"), robots_tag);
}

std::vector<std::string> links_of(const Page& page) {
  std::vector<std::string> links;
  for (const Url& link : page.links) links.push_back(link.text());
  return links;
}

// covers AH17
TEST(Page, HasLinks) {
  EXPECT_THAT(
      links_of(page_of(
          "<a href=1>1</a><area href='/2'><a href='#top'>top</a><a rel='nofollow noopener' href=3>3</a>"
          "<a href='mailto:a@b.de'>m</a><a>none</a><a href=' '>none</a><link rel=next href='?p=2'><link "
          "rel=stylesheet href=s.css>"
          "<!-- <a href=4> --><a href='https://b.de/&amp;5'>5</a>")),
      ElementsAre("https://a.de/x/1", "https://a.de/2", "https://a.de/x/y?p=2", "https://b.de/&5"));
  EXPECT_THAT(links_of(page_of("<base href='/base/'><a href=1>")), ElementsAre("https://a.de/base/1"));
}

// End tags of elements that are not open close nothing, so that they cannot hide how deep a page nests.
TEST(Page, IsCutWhereItNestsTooDeep) {
  std::string page;
  for (int i = 0; i < 3000; ++i) page += "</b>";
  for (int i = 0; i < 4000; ++i) page += "<q>";
  EXPECT_THAT(links_of(page_of(page + "<a href=1>")), IsEmpty());
}

// Without a cut each of these would take minutes: the parser compares every attribute with all before it.
TEST(Page, IsCutWhereATagHasTooManyAttributes) {
  std::string many = "<b";
  for (int i = 0; i < 300'000; ++i) many += " a" + std::to_string(i);
  EXPECT_THAT(links_of(page_of("<a href=1>" + many + "><a href=2>")), ElementsAre("https://a.de/x/1"));
  EXPECT_THAT(links_of(page_of("<!-- <i x=\" -->" + many + "><a href=2>\"")), IsEmpty());
  std::string tags;
  for (int i = 0; i < 300'000; ++i) tags += "<a";
  EXPECT_THAT(links_of(page_of("<p title=\"" + tags + "\"><a href=2>")), IsEmpty());
}

TEST(Page, MayHaveLargeAttributes) {
  std::string words;
  for (int i = 0; i < 50'000; ++i) words += "word " + std::to_string(i) + " <br> ";
  EXPECT_THAT(links_of(page_of("<p title='" + words + "' data-x = \"" + words + "\"/><a href=2>")),
              ElementsAre("https://a.de/x/2"));
}

TEST(Page, HasNoLinksToFiles) {
  EXPECT_THAT(links_of(page_of("<a href='a.JPG'>1</a><a href='/b.pdf?page=2'>2</a><a href='/c.html'>3</a><a "
                               "href='/d.e/f'>4</a><a href='/g.png/h'>5</a><a href='/i?file=j.png'>6</a>")),
              ElementsAre("https://a.de/c.html", "https://a.de/d.e/f", "https://a.de/g.png/h",
                          "https://a.de/i?file=j.png"));
}

TEST(Page, HasACanonicalAddress) {
  EXPECT_EQ(page_of("<link rel=canonical href='/c'>").canonical->text(), "https://a.de/c");
  EXPECT_EQ(page_of("<link rel='shortlink CANONICAL' href='/c'>").canonical->text(), "https://a.de/c");
  EXPECT_EQ(page_of("<p>").canonical, std::nullopt);
}

TEST(Page, SaysWhatRobotsMayDo) {
  EXPECT_TRUE(page_of("<p>").may_be_stored);
  EXPECT_FALSE(page_of("<meta name=Robots content='NOINDEX, follow'>").may_be_stored);
  EXPECT_TRUE(page_of("<meta name=robots content='noindex'>").links_may_be_followed);
  EXPECT_FALSE(page_of("<meta name=robots content='none'>").links_may_be_followed);
  EXPECT_FALSE(page_of("<p>", "nofollow").links_may_be_followed);
  EXPECT_TRUE(page_of("<meta name=googlebot content='noindex'>").may_be_stored);
}

// The lines of X-Robots-Tag: a name before a directive is whom the rest of the line is for.
TEST(Page, SaysInItsHeadersWhatRobotsMayDo) {
  EXPECT_TRUE(page_of("<p>", "otherbot: noindex, nofollow").links_may_be_followed);
  EXPECT_TRUE(page_of("<p>", "otherbot: noindex, nofollow").may_be_stored);
  EXPECT_FALSE(page_of("<p>", "Tavola-Crawler: noindex").may_be_stored);
  EXPECT_FALSE(page_of("<p>", "otherbot: none, tavola-crawler: noindex").may_be_stored);
  EXPECT_FALSE(page_of("<p>", "otherbot: none\nnoindex").may_be_stored);
  EXPECT_FALSE(page_of("<p>", "max-snippet: 50, noindex").may_be_stored);
  EXPECT_FALSE(page_of("<p>", "unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow").links_may_be_followed);
}

}  // namespace
}  // namespace crawler
