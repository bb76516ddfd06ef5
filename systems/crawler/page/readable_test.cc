#include "page/readable.h"

#include <string>

#include <gtest/gtest.h>

namespace crawler {
namespace {

Readable read(const std::string& html, const ReadableLimits& limits = {}) {
  return read_readable(Document(html), limits);
}

// covers FUS1
TEST(Readable, HasTitleDescriptionAndText) {
  const Readable page = read(
      "<title> The\n web </title><meta name=description content='  What it is '><meta property='og:title' "
      "content=Other>"
      "<body><header>Logo<nav>Menu</nav></header><main><h1>The web</h1><p>One <b>bold</b>\n "
      "word.<p>Two<br>lines"
      "<script>var x</script><form><button>Subscribe</button></form></main><footer>Imprint</footer>");
  EXPECT_EQ(page.title, "The web");
  EXPECT_EQ(page.description, "What it is");
  EXPECT_EQ(page.text, "The web\nOne bold word.\nTwo\nlines");
}

TEST(Readable, TakesOpenGraphAndHeadingsWhereThereIsNothingElse) {
  EXPECT_EQ(read("<meta property='og:title' content='Graph'><h1>Head</h1>").title, "Graph");
  EXPECT_EQ(read("<h1>The <i>head</i></h1>").title, "The head");
  EXPECT_EQ(read("<meta property='og:description' content='Graph'>").description, "Graph");
  EXPECT_EQ(read("<p>x").title, "");
}

TEST(Readable, TextIsThatOfTheArticleWithItsHeader) {
  EXPECT_EQ(read("<p>Menu<article><header>Title</header><p>Words</article>").text, "Title\nWords");
  EXPECT_EQ(read("<article>One</article><article>Two</article><p>Three").text, "One\nTwo\nThree")
      << "of several, the whole body counts";
  EXPECT_EQ(read("<main></main><p>Outside").text, "Outside") << "a page may fill its main part by script";
}

TEST(Readable, LeavesOutWhatPeopleDoNotSee) {
  EXPECT_EQ(read("<p hidden>1<p aria-hidden=true>2<p>3<div "
                 "role=navigation>4</div><template>5</template><noscript>6</noscript><style>7</style>")
                .text,
            "3");
}

TEST(Readable, CellsOfARowAreWords) {
  EXPECT_EQ(read("<table><tr><td>a</td><td>b</td></tr><tr><th>c</th><td>d</td></tr></table>").text,
            "a b\nc d");
}

TEST(Readable, IsCutBetweenWordsAndNeverWithinACharacter) {
  EXPECT_EQ(read("<title>one two three</title>", {.title_bytes_max = 9}).title, "one two");
  EXPECT_EQ(read("<title>äöüäöü</title>", {.title_bytes_max = 5}).title, "äö");
  std::string long_page;
  for (int i = 0; i < 100'000; ++i) long_page += "<p>word";
  const std::string text = read(long_page, {.text_bytes_max = 1000}).text;
  EXPECT_LE(text.size(), 1000U);
  EXPECT_GE(text.size(), 990U);
  EXPECT_TRUE(text.ends_with("word"));
}

}  // namespace
}  // namespace crawler
