#include "server/designs.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/database.h>

#include "database/forwarding_database.h"
#include "design/items/table_schema.h"
#include "design/load.h"

namespace tavola::server {
namespace {

constexpr const char* kDesign = R"yaml(design: 1
name: music
table: { name: music, hash: PK }
entities:
  Song:
    key: { PK: SONG#<song> }
    ids: { song: string }
)yaml";

// A disk that fails while a table is governed.
class FailingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override {
    if (fails) return fail(Error(ErrorCode::Io, "the disk failed"));
    return database().govern_table(request);
  }
  bool fails = true;
};

TEST(GoverningDatabase, GovernsNewTablesAndReportsFailures) {
  design::Loaded loaded = design::load(kDesign, "music.yaml");
  ASSERT_TRUE(loaded.design);
  const std::vector<design::Design> designs{*std::move(loaded.design)};
  const auto memory = open_in_memory();
  FailingDatabase failing(*memory);
  std::vector<std::string> reports;
  GoverningDatabase database(failing, designs, [&](const design::Design& design, const Error& why) {
    reports.push_back(design.name + ": " + why.message());
  });
  const CreateTableRequest request = design::table_schema(designs[0]);

  ASSERT_TRUE(database.create_table(request));
  EXPECT_THAT(reports, testing::ElementsAre("music: the disk failed"));
  EXPECT_FALSE(memory->describe_governance({.table_name = "music"})->governed_by);

  ASSERT_TRUE(memory->delete_table({.table_name = "music"}));
  failing.fails = false;
  ASSERT_TRUE(database.create_table(request));
  EXPECT_EQ(reports.size(), 1U);
  EXPECT_TRUE(memory->describe_governance({.table_name = "music"})->governed_by);
}

TEST(GoverningDatabase, LeavesOtherTablesAlone) {
  design::Loaded loaded = design::load(kDesign, "music.yaml");
  ASSERT_TRUE(loaded.design);
  const std::vector<design::Design> designs{*std::move(loaded.design)};
  const auto memory = open_in_memory();
  GoverningDatabase database(*memory, designs, [](const design::Design&, const Error&) { FAIL(); });
  CreateTableRequest request = design::table_schema(designs[0]);
  request.table_name = "other";
  EXPECT_TRUE(database.create_table(request));
  EXPECT_FALSE(memory->describe_governance({.table_name = "other"})->governed_by);
}

}  // namespace
}  // namespace tavola::server
