// Table and Items, the short API of a database: on a real one in memory, and on one that fails on purpose.
#include <algorithm>
#include <ranges>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/table.h>

namespace tavola {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

static_assert(std::ranges::input_range<Items>);
static_assert(std::input_iterator<Items::Iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, Items::Iterator>);
static_assert(std::ranges::viewable_range<Items>);

class TableTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto created = db_->create_table(
        {.table_name = "Music",
         .attribute_definitions = {{"artist", Type::String}, {"song", Type::Number}, {"year", Type::Number}},
         .key_schema = {{"artist", KeyType::Hash}, {"song", KeyType::Range}},
         .global_indexes = {{"byYear", {{"year", KeyType::Hash}}, {}, {}}}});
    ASSERT_TRUE(created) << created.error().message();
  }
  void put_songs(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(music_.put({{"artist", "Nina"}, {"song", i}, {"year", 1960 + i % 2}}));
    }
  }
  static std::vector<std::int64_t> numbers(Items items) {
    std::vector<std::int64_t> songs;
    for (const Result<Item>& song : items) {
      EXPECT_TRUE(song) << song.error().message();
      if (song) songs.push_back(*song->at("song").number().to_int64());
    }
    return songs;
  }

  std::unique_ptr<Database> db_ = open_in_memory();
  Table music_{*db_, "Music"};
};

TEST_F(TableTest, PutsGetsAndRemoves) {
  const Item key{{"artist", "Nina"}, {"song", 1}};
  EXPECT_EQ(music_.get(key).value(), std::nullopt);
  ASSERT_TRUE(music_.put({{"artist", "Nina"}, {"song", 1}, {"plays", 3}}));
  EXPECT_EQ(music_.get(key).value(), (Item{{"artist", "Nina"}, {"song", 1}, {"plays", 3}}));
  EXPECT_EQ(music_.get(key, {.projection = "plays", .consistent = true}).value(), (Item{{"plays", 3}}));
  EXPECT_EQ(music_.remove(key).value(), (Item{{"artist", "Nina"}, {"song", 1}, {"plays", 3}}));
  EXPECT_EQ(music_.remove(key).value(), std::nullopt);
  EXPECT_EQ(music_.name(), "Music");
}

TEST_F(TableTest, UpdatesAndReturnsTheWholeItem) {
  const Item key{{"artist", "Nina"}, {"song", 1}};
  for (int plays = 1; plays <= 3; ++plays) {
    const auto updated = music_.update(key, "SET plays = if_not_exists(plays, :z) + :one",
                                       {.values = {{":z", 0}, {":one", 1}}});
    ASSERT_TRUE(updated) << updated.error().message();
    EXPECT_EQ(*updated, (Item{{"artist", "Nina"}, {"song", 1}, {"plays", plays}}));
  }
}

TEST_F(TableTest, AnEmptyUpdateIsRefused) {
  const Item key{{"artist", "Nina"}, {"song", 1}};
  EXPECT_EQ(music_.update(key, "").error().message(),
            "Invalid UpdateExpression: The expression can not be empty;");
  EXPECT_EQ(music_.get(key).value(), std::nullopt);
}

TEST_F(TableTest, AnUpdateThatMakesNothingReturnsAnEmptyItem) {
  EXPECT_EQ(music_.update({{"artist", "Nina"}, {"song", 1}}, "REMOVE plays").value(), Item());
}

TEST_F(TableTest, Conditions) {
  const Item song{{"artist", "Nina"}, {"song", 1}, {"plays", 3}};
  const Item key{{"artist", "Nina"}, {"song", 1}};
  const WriteOptions absent{.condition = "attribute_not_exists(#a)", .names = {{"#a", "artist"}}};
  ASSERT_TRUE(music_.put(song, absent));
  EXPECT_EQ(music_.put(song, absent).error().code(), ErrorCode::ConditionalCheckFailed);
  const WriteOptions popular{.condition = "plays > :n", .values = {{":n", 10}}};
  EXPECT_EQ(music_.remove(key, popular).error().code(), ErrorCode::ConditionalCheckFailed);
  EXPECT_EQ(music_.update(key, "REMOVE plays", popular).error().code(), ErrorCode::ConditionalCheckFailed);
  EXPECT_EQ(music_.get(key).value(), song);
}

TEST_F(TableTest, WhatCannotBePackedIsRefused) {
  const Item bad{{"artist", "\xff"}, {"song", 1}};
  EXPECT_EQ(music_.put(bad).error().code(), ErrorCode::Serialization);
  EXPECT_EQ(music_.get(bad).error().code(), ErrorCode::Serialization);
  EXPECT_EQ(music_.remove(bad).error().code(), ErrorCode::Serialization);
  EXPECT_EQ(music_.update(bad, "REMOVE x").error().code(), ErrorCode::Serialization);
  EXPECT_EQ(music_.put({{"artist", "a"}, {"song", 1}}, {.condition = "x = :v", .values = {{":v", "\xff"}}})
                .error()
                .code(),
            ErrorCode::Serialization);
  int elements = 0;
  for (const Result<Item>& song : music_.query("artist = :a", {.values = {{":a", "\xff"}}})) {
    EXPECT_EQ(song.error().code(), ErrorCode::Serialization);
    ++elements;
  }
  EXPECT_EQ(elements, 1);
}

// ---- Iteration ----

TEST_F(TableTest, AQueryGoesThroughAllPages) {
  put_songs(7);
  const ReadOptions all{.values = {{":a", "Nina"}}};
  EXPECT_THAT(numbers(music_.query("artist = :a", all)), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  for (const int limit : {1, 2, 3, 7, 8}) {
    ReadOptions paged = all;
    paged.page_limit = limit;
    EXPECT_THAT(numbers(music_.query("artist = :a", paged)), ElementsAre(0, 1, 2, 3, 4, 5, 6)) << limit;
    paged.forward = false;
    EXPECT_THAT(numbers(music_.query("artist = :a", paged)), ElementsAre(6, 5, 4, 3, 2, 1, 0)) << limit;
  }
}

TEST_F(TableTest, PagesThatAFilterEmptiesAreSkipped) {
  put_songs(10);
  EXPECT_THAT(numbers(music_.query("artist = :a", {.filter = "#y = :y AND plays = :none",
                                                   .values = {{":a", "Nina"}, {":y", 1960}, {":none", 0}},
                                                   .names = {{"#y", "year"}},
                                                   .page_limit = 2})),
              IsEmpty());
  EXPECT_THAT(numbers(music_.scan({.filter = "song2 = :n OR #y = :y",
                                   .values = {{":n", 0}, {":y", 1961}},
                                   .names = {{"#y", "year"}},
                                   .page_limit = 1})),
              ElementsAre(1, 3, 5, 7, 9));
}

TEST_F(TableTest, AnIndexIsReadByName) {
  put_songs(4);
  EXPECT_THAT(numbers(music_.query("#y = :y",
                                   {.index = "byYear", .values = {{":y", 1961}}, .names = {{"#y", "year"}}})),
              ElementsAre(1, 3));
  EXPECT_EQ(numbers(music_.scan({.index = "byYear"})).size(), 4U);
}

TEST_F(TableTest, NothingIsAnEmptyRange) {
  EXPECT_THAT(numbers(music_.scan()), IsEmpty());
  EXPECT_THAT(numbers(music_.query("artist = :a", {.values = {{":a", "nobody"}}})), IsEmpty());
}

TEST_F(TableTest, ProjectionsReachTheItems) {
  put_songs(1);
  for (const Result<Item>& song : music_.scan({.projection = "song"})) EXPECT_EQ(*song, (Item{{"song", 0}}));
}

TEST_F(TableTest, AnErrorIsTheOnlyElement) {
  Table nowhere(*db_, "Nowhere");
  std::vector<ErrorCode> errors;
  for (const Result<Item>& song : nowhere.scan()) {
    ASSERT_FALSE(song);
    errors.push_back(song.error().code());
  }
  EXPECT_THAT(errors, ElementsAre(ErrorCode::ResourceNotFound));
  int elements = 0;
  for (const Result<Item>& song : music_.query("song = :s", {.values = {{":s", 1}}})) {
    EXPECT_EQ(song.error().message(), "Query condition missed key schema element: artist");
    ++elements;
  }
  EXPECT_EQ(elements, 1);
}

// An iteration may end with an error after good items: the error is the last element.
TEST_F(TableTest, AnErrorOnALaterPageIsTheLastElement) {
  put_songs(5);
  std::vector<bool> seen;
  for (const Result<Item>& song :
       music_.query("artist = :a", {.values = {{":a", "Nina"}}, .page_limit = 2})) {
    seen.push_back(song.has_value());
    if (seen.size() == 2) {
      ASSERT_TRUE(db_->delete_table({"Music"}));
    }
  }
  EXPECT_THAT(seen, ElementsAre(true, true, false));
}

TEST_F(TableTest, StandardAlgorithmsWork) {
  put_songs(6);
  const auto played = [](const Result<Item>& song) { return song && song->at("year") == Value(1961); };
  EXPECT_EQ(std::ranges::count_if(music_.scan(), played), 3);
  Items songs = music_.query("artist = :a", {.values = {{":a", "Nina"}}, .page_limit = 2});
  const auto found = std::ranges::find_if(songs, played);
  ASSERT_NE(found, songs.end());
  EXPECT_EQ((*found)->at("song"), Value(1));
  EXPECT_TRUE(std::ranges::all_of(music_.scan(), [](const Result<Item>& song) { return song.has_value(); }));

  std::vector<std::int64_t> odd;
  for (const Result<Item>& song : music_.query("artist = :a", {.values = {{":a", "Nina"}}, .page_limit = 4}) |
                                      std::views::filter(played) | std::views::take(2))
    odd.push_back(*song->at("song").number().to_int64());
  EXPECT_THAT(odd, ElementsAre(1, 3));
}

TEST_F(TableTest, ReadingStopsWhenTheReaderDoes) {
  put_songs(6);
  Items songs = music_.query("artist = :a", {.values = {{":a", "Nina"}}, .page_limit = 2});
  auto it = songs.begin();
  EXPECT_EQ((**it).at("song"), Value(0));
  it++;
  EXPECT_EQ(it->value().at("song"), Value(1));
  ++it;
  EXPECT_EQ(it->value().at("song"), Value(2));
  EXPECT_NE(it, songs.end());
}

}  // namespace
}  // namespace tavola
