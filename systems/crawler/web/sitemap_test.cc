#include "web/sitemap.h"

#include <string>
#include <vector>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "work/times.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ReadSitemap {
  std::vector<std::string> entries;  // "page LOCATION TIME"
  std::string problem;
};

// Reads the file in pieces of some bytes, as a network delivers it.
ReadSitemap read_in_pieces(const std::string& file, std::size_t bytes) {
  ReadSitemap read;
  SitemapReader reader([&read](const SitemapEntry& entry) {
    read.entries.push_back((entry.kind == SitemapEntry::Kind::Page ? "page " : "sitemap ") + entry.location +
                           (entry.changed_until ? " " + to_text(*entry.changed_until) : ""));
  });
  for (std::size_t at = 0; at < file.size(); at += bytes) {
    if (!reader.read(std::string_view(file).substr(at, bytes))) break;
  }
  reader.finish();
  read.problem = reader.problem();
  return read;
}

constexpr const char* kUrlSet = R"(<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://a.de/1?a=1&amp;b=2 </loc><lastmod>2026-01-15T10:00:00+02:00</lastmod></url>
  <url><lastmod>2026-01-15</lastmod><loc>https://a.de/2</loc><image:image><image:loc>https://a.de/i.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://a.de/3]]></loc><lastmod>yesterday</lastmod></url>
  <url></url>
</urlset>)";

TEST(Sitemap, HasPagesWithTheirTimes) {
  for (const std::size_t bytes : {1U, 7U, 100'000U}) {
    const ReadSitemap read = read_in_pieces(kUrlSet, bytes);
    EXPECT_THAT(read.entries, ElementsAre("page https://a.de/1?a=1&b=2 2026-01-15T08:00:00Z",
                                          "page https://a.de/2 2026-01-15T23:59:59Z", "page https://a.de/3"));
    EXPECT_THAT(read.problem, IsEmpty());
  }
}

TEST(Sitemap, MayBeCompressed) {
  for (const std::size_t bytes : {3U, 100'000U})
    EXPECT_EQ(read_in_pieces(gzipped(kUrlSet), bytes).entries.size(), 3);
}

TEST(Sitemap, MayNameOthers) {
  EXPECT_THAT(
      read_in_pieces(
          "<sitemapindex "
          "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>https://a.de/s.xml.gz</loc>"
          "<lastmod>2026</lastmod></sitemap></sitemapindex>",
          10)
          .entries,
      ElementsAre("sitemap https://a.de/s.xml.gz 2026-12-31T23:59:59Z"));
}

TEST(Sitemap, MayBeText) {
  EXPECT_THAT(read_in_pieces("\xEF\xBB\xBFhttps://a.de/1\r\nhttps://a.de/2\n\n  https://a.de/3", 4).entries,
              ElementsAre("page https://a.de/1", "page https://a.de/2", "page https://a.de/3"));
}

TEST(Sitemap, KeepsWhatCameBeforeAMistake) {
  const ReadSitemap broken = read_in_pieces("<urlset><url><loc>https://a.de/1</loc></url><url></urlset>", 9);
  EXPECT_THAT(broken.entries, ElementsAre("page https://a.de/1"));
  EXPECT_THAT(broken.problem, HasSubstr("not well-formed XML"));
  const ReadSitemap cut = read_in_pieces("<urlset><url><loc>https://a.de/1</loc></url>", 9);
  EXPECT_EQ(cut.entries.size(), 1);
  EXPECT_THAT(cut.problem, HasSubstr("not well-formed XML"));
  EXPECT_THAT(read_in_pieces("\x1F\x8Bnot gzip at all", 100).problem, HasSubstr("not gzip"));
}

TEST(Sitemap, EndsAtItsLimits) {
  std::string text;
  for (std::size_t i = 0; i <= kSitemapEntriesMax; ++i) text += "https://a.de/" + std::to_string(i) + "\n";
  const ReadSitemap read = read_in_pieces(text, 65536);
  EXPECT_EQ(read.entries.size(), kSitemapEntriesMax);
  EXPECT_THAT(read.problem, HasSubstr("50,000"));
  // A few kilobytes that decompress to more than 50 MB.
  EXPECT_THAT(read_in_pieces(gzipped("<urlset>" + std::string(kSitemapBytesMax + 1, ' ')), 1000).problem,
              HasSubstr("50 MB"));
}

// A file of some kilobytes, compressed, would take gigabytes of memory, or hours.
TEST(Sitemap, EndsWhereItIsNoSitemap) {
  std::string deep = "<urlset><url><loc>https://a.de/1</loc></url>";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  const ReadSitemap read = read_in_pieces(gzipped(deep), 512);
  EXPECT_THAT(read.entries, ElementsAre(testing::StartsWith("page https://a.de/1")));
  EXPECT_EQ(read.problem, "nests too deep");
  const std::string wide = "<urlset><url x='" + std::string(10'000'000, 'a');
  EXPECT_EQ(read_in_pieces(gzipped(wide), 512).problem, "has a tag that is too long");
  EXPECT_EQ(read_in_pieces("<urlset><!--" + std::string(1'000'000, 'a'), 16'384).problem,
            "has a tag that is too long");
}

TEST(Sitemap, ATimeIsTheLatestThatItCanMean) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"2026", "2026-12-31T23:59:59Z"},
      {"2026-02", "2026-02-28T23:59:59Z"},
      {"2024-02-29", "2024-02-29T23:59:59Z"},
      {"2026-01-15T10:00Z", "2026-01-15T10:00:59Z"},
      {"2026-01-15T10:00:30.5-05:30", "2026-01-15T15:30:30Z"},
      {"2026-01-15 10:00:00", "2026-01-15T10:00:00Z"}};
  for (const auto& [text, time] : cases) {
    const auto moment = latest_moment_of(text);
    ASSERT_TRUE(moment) << text;
    EXPECT_EQ(to_text(*moment), time) << text;
  }
  for (const char* text :
       {"", "26-01-15", "2026-13-01", "2026-02-30", "2026-01-15T", "2026-01-15Tnoon", "15.01.2026"}) {
    EXPECT_EQ(latest_moment_of(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace crawler
