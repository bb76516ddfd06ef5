// Requests as clients send them, and the patterns that explain them.
#include "server/layers/traffic_database.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "design/load.h"
#include "drift/requests_seen.h"

namespace tavola::server {
namespace {

using design::Design;

constexpr std::string_view kMusic = R"(
design: 1
name: music
table: { name: music, hash: PK, range: SK }
indexes:
  byYear: { hash: year, range: SK, project: all }
entities:
  Song:
    key: { PK: ARTIST#<artist>, SK: SONG#<title> }
    index: { byYear: { hash: <year>, range: SONG#<title> } }
    attributes:
      artist: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: string }
patterns:
  song: { get: Song }
  songsOf: { query: Song, via: table, hash: ARTIST#<artist>, range: begins_with SONG# }
  songsBetween: { query: Song, via: table, hash: ARTIST#<artist>, range: between SONG#<a> and SONG#<b> }
  songsThrough: { query: Song, via: table, hash: ARTIST#<artist>, range: from SONG#<a> through SONG#<b> }
  songsOfYear: { query: Song, via: byYear, hash: <year> }
  loudSongsOf: { query: Song, via: table, hash: ARTIST#<artist>, range: begins_with SONG#, filter: size(title) > 3, accept: { overlap: none } }
  both: { union: [songsOf, songsOfYear] }
)";

const Design& music() {
  static const Design design = [] {
    design::Loaded loaded = design::load(std::string(kMusic), "music.yaml");
    for (const auto& problem : loaded.diagnostics) {
      EXPECT_NE(problem.severity, design::Severity::Error) << problem.message;
    }
    return *std::move(loaded.design);
  }();
  return design;
}

QueryRequest query(std::string index, std::string condition, const Item& values) {
  QueryRequest request{.table_name = "music", .index_name = std::move(index)};
  request.key_condition_expression = std::move(condition);
  request.values = *pack(values);
  return request;
}

QueryRequest of_year() {
  QueryRequest request = query("byYear", "#y = :y", {{":y", "1965"}});
  request.names = {{"#y", "year"}};
  return request;
}

// Returns the patterns that explain it, "a, b"; empty if none does.
std::string explained(const auto& request) {
  drift::RequestsSeen seen(music());
  std::vector<std::string> without_counting = seen.explain(request);
  std::ranges::sort(without_counting);
  seen.note(request);
  std::string names;
  const drift::RequestCounts counts = seen.counts();
  for (const auto& [name, count] : counts.patterns) {
    if (count > 0) names += (names.empty() ? "" : ", ") + name;
    EXPECT_EQ(count, std::ranges::count(without_counting, name));
  }
  EXPECT_EQ(names.empty(), counts.unexplained.size() == 1);
  return names;
}

TEST(RequestsSeen, AQueryIsExplainedByItsKeys) {
  const std::string greatest = "\xF4\x8F\xBF\xBF";
  struct Case {
    QueryRequest request;
    std::string by;
  };
  const std::vector<Case> cases{
      {query("", "PK = :a AND begins_with(SK, :s)", {{":a", "ARTIST#nina"}, {":s", "SONG#"}}),
       "loudSongsOf, songsOf"},
      {query("", "begins_with(SK, :s) AND PK = :a", {{":a", "ARTIST#nina"}, {":s", "SONG#"}}),
       "loudSongsOf, songsOf"},
      {query("", "PK = :a AND begins_with(SK, :s)", {{":a", "ARTIST#nina"}, {":s", "SONG#Si"}}), ""},
      {query("", "PK = :a AND begins_with(SK, :s)", {{":a", "ALBUM#nina"}, {":s", "SONG#"}}), ""},
      {query("", "PK = :a AND begins_with(SK, :s)", {{":a", "ARTIST#nina#x"}, {":s", "SONG#"}}), ""},
      {query("", "PK = :a", {{":a", "ARTIST#nina"}}), ""},
      {query("", "PK = :a AND SK = :s", {{":a", "ARTIST#nina"}, {":s", "SONG#"}}), ""},
      {query("", "PK = :a AND SK BETWEEN :b AND :c",
             {{":a", "ARTIST#nina"}, {":b", "SONG#A"}, {":c", "SONG#B"}}),
       "songsBetween"},
      {query("", "PK = :a AND SK BETWEEN :b AND :c",
             {{":a", "ARTIST#nina"}, {":b", "SONG#A"}, {":c", "SONG#B" + greatest}}),
       "songsThrough"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(explained(one.request), one.by)
        << one.request.key_condition_expression << to_json(one.request.values.unpack());
  }
}

TEST(RequestsSeen, PlaceholdersAndOlderParametersAreTheSameQuery) {
  EXPECT_EQ(explained(of_year()), "songsOfYear");
  QueryRequest from = of_year();
  from.key_condition_expression += " AND SK > :s";
  from.values = *pack({{":y", "1965"}, {":s", "SONG#"}});
  EXPECT_EQ(explained(from), "");
  QueryRequest older{.table_name = "music"};
  older.key_conditions =
      LegacyConditions{{"PK", {.op = ComparisonOperator::Eq, .operands = {"ARTIST#nina"}}},
                       {"SK", {.op = ComparisonOperator::BeginsWith, .operands = {"SONG#"}}}};
  EXPECT_EQ(explained(older), "loudSongsOf, songsOf");
}

TEST(RequestsSeen, AScanIsExplainedByAScanOnly) {
  EXPECT_EQ(explained(ScanRequest{.table_name = "music"}), "");
  EXPECT_EQ(explained(ScanRequest{.table_name = "music", .segment = 0, .total_segments = 1}), "");
}

TEST(RequestsSeen, AGetIsExplainedByItsKey) {
  drift::RequestsSeen seen(music());
  seen.note_get(*pack({{"PK", "ARTIST#nina"}, {"SK", "SONG#Sinnerman"}}));
  seen.note_get(*pack({{"PK", "ARTIST#nina"}, {"SK", "ALBUM#x"}}));
  seen.note_get(*pack({{"PK", "$once#x"}, {"SK", "$once"}}));
  const drift::RequestCounts counts = seen.counts();
  EXPECT_EQ(counts.patterns.at("song"), 1U);
  EXPECT_EQ(seen.explain_get(*pack({{"PK", "ARTIST#nina"}, {"SK", "SONG#x"}})),
            std::vector<std::string>{"song"});
  EXPECT_TRUE(seen.explain_get(*pack({{"PK", "ARTIST#nina"}, {"SK", "ALBUM#x"}})).empty());
  EXPECT_EQ(seen.counts().patterns.at("song"), 1U);
  ASSERT_EQ(counts.unexplained.size(), 1U);
  EXPECT_EQ(counts.unexplained.front().example, R"(PK = "ARTIST#nina" AND SK = "ALBUM#x")");
}

TEST(RequestsSeen, WhatIsAskedAgainIsCountedAgain) {
  drift::RequestsSeen seen(music());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&seen] {
      for (int n = 0; n < 500; ++n) {
        const std::string artist = "ARTIST#" + std::to_string(n);
        seen.note(query("", "PK = :a AND begins_with(SK, :s)", {{":a", artist}, {":s", "SONG#"}}));
        seen.note(query("", "PK = :a", {{":a", artist}}));
      }
    });
  }
  threads.clear();
  const drift::RequestCounts counts = seen.counts();
  EXPECT_EQ(counts.patterns.at("songsOf"), 2'000U);
  ASSERT_EQ(counts.unexplained.size(), 1U);
  EXPECT_EQ(counts.unexplained.front().count, 2'000U);
}

TEST(RequestsSeen, FormsBeyondTheBoundAreCountedTogether) {
  drift::RequestsSeen seen(music());
  constexpr std::uint64_t kForms = 1'500;
  for (std::uint64_t n = 0; n < kForms; ++n) {
    const std::string name = ":v" + std::to_string(n);
    seen.note(query("", "PK = " + name, {{name, "ARTIST#nina"}}));
  }
  const drift::RequestCounts counts = seen.counts();
  EXPECT_LT(counts.unexplained.size(), kForms);
  EXPECT_EQ(counts.unexplained.size() + counts.further_unexplained, kForms);
}

TEST(RequestsSeen, AUnionIsUsedWhenAPartIs) {
  drift::RequestsSeen seen(music());
  const design::Pattern& both = *music().find_pattern("both");
  EXPECT_FALSE(seen.counts().is_used(music(), both));
  seen.note(of_year());
  EXPECT_TRUE(seen.counts().is_used(music(), both));
  EXPECT_FALSE(seen.counts().is_used(music(), *music().find_pattern("songsOf")));
}

TEST(RequestsSeen, CountsAreReadAsTheyWereWritten) {
  drift::RequestsSeen seen(music());
  seen.note(query("", "PK = :a", {{":a", "ARTIST#\"nina\""}}));
  seen.note(query("", "PK = :a", {{":a", 7}}));
  seen.note(query("", "no condition", {}));  // refused by the database, and no question
  const std::string text = drift::to_json(seen.counts());
  const auto read = drift::parse_request_counts(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(drift::to_json(*read), text);
  for (const char* bad : {"", "[]", "{}", R"({"patterns":{"a":-1},"unexplained":[],"furtherUnexplained":0})",
                          R"({"patterns":{},"unexplained":[1],"furtherUnexplained":0})"}) {
    EXPECT_FALSE(drift::parse_request_counts(bad)) << bad;
  }
}

TEST(TrafficDatabase, CountsWhatGoesThroughToTheTablesOfDesigns) {
  const std::unique_ptr<Database> database = open_in_memory();
  const auto designs = std::make_shared<const std::vector<Design>>(1, music());
  TrafficDatabase counted(*database, designs);
  EXPECT_FALSE(counted.query(of_year()));  // there is no table; it was asked
  QueryRequest other = query("", "PK = :a", {{":a", "x"}});
  other.table_name = "other";
  EXPECT_FALSE(counted.query(other));
  ASSERT_TRUE(counted.counts("music"));
  EXPECT_FALSE(counted.counts("other"));
  GetItemRequest get{.table_name = "music", .key = *pack({{"PK", "ARTIST#nina"}, {"SK", "SONG#Sinnerman"}})};
  EXPECT_FALSE(counted.get_item(get));
  get.consistent_read = true;
  get.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  EXPECT_FALSE(counted.get_item(get));
  EXPECT_FALSE(counted.uncounted().get_item(get));  // the upkeep of our own tools
  const drift::RequestCounts counts = *counted.counts("music");
  EXPECT_EQ(counts.patterns.at("song"), 2U);
  EXPECT_EQ(counts.patterns.at("songsOfYear"), 1U);
  EXPECT_TRUE(counts.unexplained.empty());
}

}  // namespace
}  // namespace tavola::server
