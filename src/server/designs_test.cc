#include "server/designs.h"

#include <memory>
#include <optional>
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

// Fails to govern a table.
class FailingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override {
    if (failure) return fail(*failure);
    return database().govern_table(request);
  }
  std::optional<Error> failure;
};

class GoverningDatabaseTest : public testing::Test {
 protected:
  const DesignList designs_ =
      std::make_shared<const std::vector<design::Design>>(1, *design::load(kDesign, "music.yaml").design);
  const CreateTableRequest request_ = design::table_schema(designs_->front());
  const std::unique_ptr<Database> memory_ = open_in_memory();
  FailingDatabase failing_{*memory_};
  std::vector<std::string> reports_;
  GoverningDatabase database_{failing_, [this] { return designs_; },
                              [this](const design::Design& design, const Error& why) {
                                reports_.push_back(design.name + ": " + why.message());
                              }};
};

TEST_F(GoverningDatabaseTest, GovernsNewTables) {
  ASSERT_TRUE(database_.create_table(request_));
  EXPECT_THAT(reports_, testing::IsEmpty());
  EXPECT_TRUE(memory_->describe_governance({.table_name = "music"})->governed_by);
}

TEST_F(GoverningDatabaseTest, ReportsATableThatDoesNotFitItsDesign) {
  failing_.failure = Error::validation("it has other keys");
  ASSERT_TRUE(database_.create_table(request_));
  EXPECT_THAT(reports_, testing::ElementsAre("music: it has other keys"));
  EXPECT_FALSE(memory_->describe_governance({.table_name = "music"})->governed_by);
}

TEST_F(GoverningDatabaseTest, FailsIfTheDatabaseDoes) {
  for (const ErrorCode code : {ErrorCode::Internal, ErrorCode::DiskFull, ErrorCode::Io}) {
    failing_.failure = Error(code, "the disk failed");
    const auto created = database_.create_table(request_);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), code);
    EXPECT_THAT(created.error().message(), testing::HasSubstr("the disk failed"));
    ASSERT_TRUE(memory_->delete_table({.table_name = "music"}));
  }
}

TEST_F(GoverningDatabaseTest, LeavesOtherTablesAlone) {
  CreateTableRequest request = request_;
  request.table_name = "other";
  EXPECT_TRUE(database_.create_table(request));
  EXPECT_THAT(reports_, testing::IsEmpty());
  EXPECT_FALSE(memory_->describe_governance({.table_name = "other"})->governed_by);
}

}  // namespace
}  // namespace tavola::server
