// Deletions on a database that does not follow them itself.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "runner/runner.h"
#include "runner/test_meddled_database.h"

namespace tavola::runner {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// More than two transactions hold.
constexpr int kManyItems = 230;

class UngovernedDeletions : public testing::Test {
 protected:
  void open(const std::string& file) {
    design::Loaded loaded =
        design::load(text_of_file(std::string(TAVOLA_SOURCE_DIR) + "/" + file), "design.yaml");
    ASSERT_TRUE(loaded.design);
    design_ = *std::move(loaded.design);
    database_ = open_in_memory();
    ASSERT_TRUE(database_->create_table(design::table_schema(design_)));
  }

  Result<Done> perform(std::string_view operation, const Item& given) {
    return perform_on(*database_, operation, given);
  }
  Result<Done> perform_on(Database& database, std::string_view operation, const Item& given) {
    return Runner({.database = database, .design = design_})
        .perform(*design_.find_operation(operation), given);
  }
  void must(std::string_view operation, const Item& given) {
    const Result<Done> done = perform(operation, given);
    ASSERT_TRUE(done) << operation << ": " << done.error().message();
  }
  std::vector<Item> items() {
    std::vector<Item> all;
    ScanRequest request{.table_name = design_.table.name};
    do {
      const auto page = database_->scan(request);
      EXPECT_TRUE(page) << page.error().message();
      if (!page) break;
      for (const PackedItem& item : page->items) all.push_back(item.unpack());
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return all;
  }
  void add_site(int comments) {
    must("createSite", {{"site", "mdn"}, {"url", "https://example.com/"}, {"title", "MDN"}});
    for (int i = 0; i < comments; ++i) {
      must("addComment",
           {{"site", "mdn"}, {"user", "anna"}, {"comment", "c" + std::to_string(i)}, {"body", "Thank you"}});
    }
  }

  design::Design design_;
  std::unique_ptr<Database> database_;
};

TEST_F(UngovernedDeletions, FewItemsAreOneTransactionWithTheOperation) {
  open("designs/fus-main.yaml");
  add_site(3);
  int transactions = 0;
  MeddledDatabase counted(*database_, [&](std::string_view name) -> Result<void> {
    transactions += name == "TransactWriteItems" ? 1 : 0;
    return {};
  });
  const Result<Done> done = perform_on(counted, "deleteSite", {{"site", "mdn"}});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_FALSE(done->unfinished);
  EXPECT_EQ(transactions, 1);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(UngovernedDeletions, ManyItemsAreDeletedInPortions) {
  open("designs/fus-main.yaml");
  add_site(kManyItems);
  const Result<Done> done = perform("deleteSite", {{"site", "mdn"}});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_THAT(items(), IsEmpty());
}

// The item that the others name is deleted at last.
TEST_F(UngovernedDeletions, AnInterruptedOperationIsRepeated) {
  open("designs/fus-main.yaml");
  add_site(kManyItems);
  int transactions = 0;
  MeddledDatabase broken(*database_, [&](std::string_view name) -> Result<void> {
    if (name != "TransactWriteItems" || ++transactions < 5) return {};
    return fail(Error(ErrorCode::Internal, "the connection is gone"));
  });
  ASSERT_FALSE(perform_on(broken, "deleteSite", {{"site", "mdn"}}));
  const std::size_t left = items().size();
  EXPECT_GT(left, 1U);
  EXPECT_LT(left, 2U * kManyItems);
  must("deleteSite", {{"site", "mdn"}});
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(UngovernedDeletions, NothingIsDeletedForARefusedOperation) {
  open("designs/fus-main.yaml");
  must("setStaffGroup", {{"name", "admin"}});
  for (int i = 0; i < kManyItems; ++i)
    must("appoint", {{"groupName", "admin"}, {"userId", "u" + std::to_string(i)}, {"addedBy", "root"}});
  const Result<Done> refused = perform("deleteGroup", {{"name", "admin"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("STAFF_GROUP"));
  EXPECT_THAT(items(), SizeIs(kManyItems + 1));
  EXPECT_FALSE(perform("deleteSite", {{"site", "ghost"}}));
}

TEST_F(UngovernedDeletions, ReferencesAreDetachedAndRestricted) {
  open("src/design/testdata/deletions.yaml");
  must("addTeam", {{"team", "t"}});
  for (int i = 0; i < kManyItems; ++i) must("addPerson", {{"person", std::to_string(i)}, {"team", "t"}});
  must("removeTeam", {{"team", "t"}});
  EXPECT_THAT(items(), SizeIs(kManyItems));
  for (const Item& item : items()) EXPECT_EQ(item.size(), 2U) << to_json(item);

  for (int i = 0; i < kManyItems; ++i)
    must("addContract", {{"contract", std::to_string(i)}, {"person", "7"}});
  const Result<Done> refused = perform("removePerson", {{"person", "7"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("STILL_REFERENCED: the Contract"));
  must("removePerson", {{"person", "8"}});
}

TEST_F(UngovernedDeletions, WhatCannotBeFollowedIsRefused) {
  open("src/design/testdata/deletions.yaml");
  must("addProject", {{"project", "p"}});
  const Result<Done> refused = perform("removeProject", {{"project", "p"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("Perform it on a table that the design governs"));
}

TEST_F(UngovernedDeletions, AGovernedTableFollowsThemItself) {
  open("designs/fus-main.yaml");
  const Runner runner({.database = *database_, .design = design_});
  ASSERT_TRUE(runner.prepare_table());
  add_site(kManyItems);
  int requests = 0;
  MeddledDatabase counted(*database_, [&](std::string_view) -> Result<void> {
    ++requests;
    return {};
  });
  const Result<Done> done = perform_on(counted, "deleteSite", {{"site", "mdn"}});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(done->unfinished);
  EXPECT_LE(requests, 2);
}

}  // namespace
}  // namespace tavola::runner
