// Adoptions on a server: the latest version of a design wins, whatever was under way.
#include "server/admin/adoptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/table.h>

#include "design/items/table_schema.h"
#include "design/load.h"

namespace tavola::server {
namespace {

constexpr std::chrono::minutes kLong{5};

design::Design version(int number) {
  const std::string text =
      "design: 1\nname: music\ntable: { name: music, hash: PK }\nentities:\n  Song:\n"
      "    key: { PK: SONG#<song> }\n    ids: { song: string }\n    attributes:\n"
      "      mark: { value: V" +
      std::to_string(number) + " }\n";
  design::Loaded loaded = design::load(text, "music.yaml");
  EXPECT_TRUE(loaded.design);
  return *loaded.design;
}

class AdoptionsTest : public testing::Test {
 protected:
  AdoptionsTest() {
    EXPECT_TRUE(database_->create_table(design::table_schema(version(1))));
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(table_.put({{"PK", "SONG#" + std::to_string(i)}}));
  }

  Value mark() { return (*table_.get({{"PK", "SONG#7"}}))->at("mark"); }

  Log log_{LogFormat::Text};
  const std::unique_ptr<Database> database_ = open_in_memory();
  Table table_{*database_, "music"};
  Adoptions adoptions_{*database_, Clock::system(), log_};
};

TEST_F(AdoptionsTest, CallsBackWhenTheDesignGovernsItsTable) {
  std::vector<std::string> called;
  adoptions_.start(version(1),
                   {.then = [&](const design::Design& design) { called.push_back(design.name); }});
  adoptions_.wait(kLong);
  EXPECT_THAT(called, testing::ElementsAre("music"));
  const auto status = adoptions_.status_of_table("music");
  ASSERT_TRUE(status && status->adopted);
  EXPECT_TRUE(status->adopted->is_complete());
  EXPECT_EQ(mark(), Value("V1"));
  EXPECT_FALSE(adoptions_.status_of_table("films"));
}

TEST_F(AdoptionsTest, TheLatestVersionWins) {
  for (int number = 1; number <= 5; ++number) adoptions_.start(version(number), {});
  adoptions_.wait(kLong);
  EXPECT_EQ((*database_->governing_design("music"))->text, version(5).text);
  EXPECT_FALSE(database_->describe_table({.table_name = "music"})->table.governed_by->adopting);
  EXPECT_EQ(mark(), Value("V5"));
  EXPECT_EQ(adoptions_.status(version(5))->failure, "");
}

TEST_F(AdoptionsTest, AMissingTableIsCreatedOnRequest) {
  design::Design design = version(1);
  design.table.name = "films";
  adoptions_.start(design, {});
  adoptions_.wait(kLong);
  EXPECT_NE(adoptions_.status(design)->failure, "");
  adoptions_.start(design, {.create_table = true});
  adoptions_.wait(kLong);
  EXPECT_TRUE(adoptions_.status(design)->adopted->created_table);
}

// An adoption of the same text, which leaves the index, is under way.
TEST_F(AdoptionsTest, ARequestToDeleteIndexesIsNotDropped) {
  ASSERT_TRUE(database_->update_table(
      {.table_name = "music",
       .attribute_definitions = {{"mark", Type::String}},
       .created_indexes = {{.name = "other", .key_schema = {{"mark", KeyType::Hash}}}}}));
  adoptions_.start(version(1), {});
  adoptions_.start(version(1), {.delete_indexes = true});
  adoptions_.wait(kLong);
  EXPECT_THAT(database_->describe_table({.table_name = "music"})->table.global_indexes, testing::IsEmpty());
}

}  // namespace
}  // namespace tavola::server
