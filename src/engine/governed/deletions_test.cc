// Items that follow the deletion of one they name (`on_delete`), at sizes that need a job. The decisions of the rule itself are tested by
// design/testdata/govern_writes/deletions.yaml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "base/test_files.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/background/jobs.h"
#include "engine/governed/governed_schemas.h"
#include "engine/test_database.h"

namespace tavola::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kMany = 330;
constexpr const char* kTable = "deletions";

class Deletions : public testing::TestWithParam<StoreKind> {
 protected:
  Deletions() : db_(GetParam(), clock_) {
    const std::string file = std::string(TAVOLA_SOURCE_DIR) + "/src/design/testdata/deletions.yaml";
    const std::string text = text_of_file(file);
    const design::Loaded loaded = design::load(text, "deletions.yaml");
    EXPECT_TRUE(loaded.design);
    EXPECT_TRUE(db_->create_table(design::table_schema(*loaded.design)));
    const auto governed =
        db_->govern_table({.table_name = kTable, .design = text, .file_name = "deletions.yaml"});
    EXPECT_TRUE(governed) << governed.error().message();
  }

  static Item key(const std::string& name) { return {{"PK", name}, {"SK", "META"}}; }
  void put(const std::string& name, const Item& attributes = {}) {
    Item item = key(name);
    item.insert(attributes.begin(), attributes.end());
    const auto done = db_->put_item({.table_name = kTable, .item = *pack(item)});
    ASSERT_TRUE(done) << done.error().message();
  }
  void put_many(const std::string& prefix, const Item& attributes) {
    for (int i = 0; i < kMany; ++i) put(prefix + std::to_string(1000 + i), attributes);
  }
  Result<DeleteItemResponse> remove(const std::string& name) {
    return db_->delete_item({.table_name = kTable, .key = *pack(key(name))});
  }
  std::uint64_t unfinished() { return db_->describe_governance({.table_name = kTable})->unfinished; }

  TestClock clock_;
  TestDatabase db_;
};

TEST_P(Deletions, ManyItemsAreDetached) {
  put("TEAM#t");
  put("PERSON#m");
  put_many("PERSON#", {{"team", "t"}, {"mentor", "m"}});
  const auto removed = remove("TEAM#t");
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_TRUE(removed->unfinished);
  EXPECT_EQ(unfinished(), 1U);
  EXPECT_THAT(db_.scan_all(kTable, "byTeam"), SizeIs(kMany - 100));
  if (GetParam() != StoreKind::Memory) db_.reopen();
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(unfinished(), 0U);
  EXPECT_THAT(db_.scan_all(kTable, "byTeam"), IsEmpty());
  EXPECT_THAT(db_.scan_all(kTable, "byMentor"), SizeIs(kMany));
  db_.expect_consistent(kTable);
}

TEST_P(Deletions, AnItemThatMayNotBeReadIsNotNamed) {
  const std::string file = std::string(TAVOLA_SOURCE_DIR) + "/src/design/testdata/deletions.yaml";
  const std::string roles =
      "roles:\n  clerk: { is: clerk, write: [Person] }\n  lawyer: { is: lawyer, read: [Contract] }\n";
  ASSERT_TRUE(db_->govern_table(
      {.table_name = kTable, .design = text_of_file(file) + roles, .file_name = "deletions.yaml"}));
  put("PERSON#a");
  put("CONTRACT#1", {{"person", "a"}});
  const auto refusal_of = [&](const std::string& group) {
    const auto caller = std::make_shared<const Caller>(Caller{"anna", {group}});
    return db_->delete_item({.table_name = kTable, .key = *pack(key("PERSON#a")), .caller = caller})
        .error()
        .message();
  };
  EXPECT_THAT(refusal_of("clerk"),
              HasSubstr("cannot be deleted: a Contract still names it [deletions.yaml:"));
  EXPECT_THAT(refusal_of("lawyer"), HasSubstr(R"(the Contract {"contract":"1"} still names it)"));
}

TEST_P(Deletions, AFewItemsNeedNoJob) {
  put("PROJECT#p");
  put("TASK#1", {{"project", "p"}});
  const auto removed = remove("PROJECT#p");
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_FALSE(removed->unfinished);
  EXPECT_THAT(db_.scan_all(kTable), IsEmpty());
}

// The job begins anew, and finds what is left.
TEST_P(Deletions, AJobThatEndsInTheMiddleIsFinishedAfterTheNextOpening) {
  put("PROJECT#p");
  put("PROJECT#q");
  put_many("TASK#", {{"project", "p"}});
  put("TASK#other", {{"project", "q"}});
  ASSERT_TRUE(remove("PROJECT#p"));
  {
    GovernedSchemas schemas(db_.store());
    Catalog catalog(db_.store(), clock_, &schemas);
    CheckpointShelf shelf(db_.store());
    Jobs jobs(db_.store(), catalog, clock_, Random::system(), shelf);
    int pages = 0;
    const auto stopped = jobs.run({.stopping = [&] { return ++pages > 3; }, .rest = {}, .report = {}});
    ASSERT_TRUE(stopped) << stopped.error().message();
  }
  EXPECT_EQ(unfinished(), 1U);
  const std::size_t left = db_.scan_all(kTable, "byProject").size();
  EXPECT_GT(left, 1U);
  EXPECT_LT(left, static_cast<std::size_t>(kMany - 100 + 1));
  if (GetParam() != StoreKind::Memory) db_.reopen();
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(unfinished(), 0U);
  EXPECT_THAT(db_.scan_all(kTable), SizeIs(2));
}

TEST_P(Deletions, ACascadeLeavesFurtherJobs) {
  put("PROJECT#p");
  put_many("TASK#", {{"project", "p"}});
  put_many("NOTE#", {{"about", std::to_string(1000 + kMany - 1)}});
  ASSERT_TRUE(remove("PROJECT#p"));
  ASSERT_TRUE(db_->sweep());
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(unfinished(), 0U);
  EXPECT_THAT(db_.scan_all(kTable), IsEmpty());
}

// Items that name another one by the time of their turn are left alone.
TEST_P(Deletions, WhoMovesInTimeStays) {
  put("PROJECT#p");
  put("PROJECT#q");
  put_many("TASK#", {{"project", "p"}});
  ASSERT_TRUE(remove("PROJECT#p"));
  const std::string last = "TASK#" + std::to_string(1000 + kMany - 1);
  ASSERT_TRUE(db_->update_item({.table_name = kTable,
                                .key = *pack(key(last)),
                                .update_expression = "SET #p = :q",
                                .names = {{"#p", "project"}},
                                .values = *pack({{":q", "q"}})}));
  ASSERT_TRUE(db_->sweep());
  EXPECT_THAT(db_.scan_all(kTable), SizeIs(2));
}

TEST_P(Deletions, ARestrictedDeletionReadsLittleAtAnySize) {
  put("PERSON#a");
  put_many("CONTRACT#", {{"person", "a"}});
  const auto refused = remove("PERSON#a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::ConditionalCheckFailed);
  EXPECT_THAT(refused.error().message(), HasSubstr("STILL_REFERENCED"));
  EXPECT_THAT(refused.error().message(), HasSubstr(R"(the Contract {"contract":"1000"} still names it)"));
  EXPECT_EQ(unfinished(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, Deletions, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

}  // namespace
}  // namespace tavola::engine
