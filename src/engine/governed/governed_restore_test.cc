// Restored governed tables: the design is not restored, but its internal records are, so that it can be applied again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"

namespace tavola::engine {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kRestoredDesign = R"yaml(design: 1
name: library
table: { name: library, hash: PK, range: SK }
entities:
  Book:
    key: { PK: BOOK#<book>, SK: META }
    ids: { book: string }
    attributes:
      title: { type: string, required: true, unique: true }
)yaml";

class GovernedRestore : public testing::TestWithParam<StoreKind> {
 protected:
  GovernedRestore() : db_(GetParam(), clock_) {
    const design::Loaded loaded = design::load(kRestoredDesign, "library.yaml");
    EXPECT_TRUE(loaded.design);
    EXPECT_TRUE(db_->create_table(design::table_schema(*loaded.design)));
  }
  void govern(const std::string& table) {
    const auto done =
        db_->govern_table({.table_name = table, .design = kRestoredDesign, .file_name = "library.yaml"});
    ASSERT_TRUE(done) << text_of(done.error());
  }
  std::string put(const std::string& table, const std::string& book, const std::string& title) {
    const auto done = db_->put_item(
        {.table_name = table,
         .item = *pack({{"PK", "BOOK#" + book}, {"SK", "META"}, {"book", book}, {"title", title}})});
    return done ? "put" : done.error().message();
  }
  std::string remove(const std::string& table, const std::string& book) {
    const auto done =
        db_->delete_item({.table_name = table, .key = *pack({{"PK", "BOOK#" + book}, {"SK", "META"}})});
    return done ? "removed" : done.error().message();
  }
  void restore(const std::string& table, WallTime moment) {
    const auto begun = db_->restore_table_to_point_in_time(
        {.source_table_name = "library", .target_table_name = table, .moment = moment});
    ASSERT_TRUE(begun) << text_of(begun.error());
    ASSERT_TRUE(db_->sweep());
  }
  void switch_on() {
    ASSERT_TRUE(db_->update_continuous_backups({.table_name = "library", .enabled = true}));
  }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, GovernedRestore, testing::ValuesIn(kStoresWithBackups),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(GovernedRestore, FromABackupItKeepsWhatIsUnique) {
  govern("library");
  ASSERT_EQ(put("library", "a", "Ulysses"), "put");
  const auto made = db_->create_backup({.table_name = "library", .backup_name = "daily"});
  ASSERT_TRUE(made) << text_of(made.error());
  ASSERT_EQ(remove("library", "a"), "removed");
  ASSERT_TRUE(
      db_->restore_table_from_backup({.backup = made->backup.backup, .target_table_name = "restored"}));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(db_->describe_table({"restored"})->table.governed_by, std::nullopt);
  const auto awaited = db_->governing_design("restored");
  ASSERT_FALSE(awaited);
  EXPECT_EQ(awaited.error().code(), ErrorCode::AccessDenied);
  EXPECT_THAT(awaited.error().message(), HasSubstr("the design library governs, and has no design yet"));
  EXPECT_THAT(db_.scan_all("restored"), SizeIs(1)) << "records of our own are no items";
  db_.expect_consistent("restored");
  govern("restored");
  EXPECT_EQ(db_->governing_design("restored").value()->table.name, "restored");
  EXPECT_EQ(db_->governing_design("nothing").value(), nullptr);
  EXPECT_THAT(put("restored", "b", "Ulysses"), HasSubstr("title"));
  EXPECT_EQ(put("restored", "b", "Emma"), "put");
  EXPECT_EQ(remove("restored", "a"), "removed");
  EXPECT_EQ(put("restored", "c", "Ulysses"), "put");
  db_.expect_consistent("restored");
}

TEST_P(GovernedRestore, ToAMomentItKeepsWhatWasUniqueThen) {
  govern("library");
  switch_on();
  ASSERT_EQ(put("library", "a", "Ulysses"), "put");
  const WallTime moment = clock_.now();
  clock_.advance(seconds(1));
  ASSERT_EQ(put("library", "a", "Dubliners"), "put");
  ASSERT_EQ(put("library", "b", "Emma"), "put");
  clock_.advance(seconds(1));
  restore("then", moment);
  restore("now", clock_.now());
  govern("then");
  EXPECT_EQ(put("then", "c", "Emma"), "put");
  EXPECT_EQ(put("then", "d", "Dubliners"), "put");
  EXPECT_THAT(put("then", "e", "Ulysses"), HasSubstr("title"));
  govern("now");
  EXPECT_THAT(put("now", "c", "Emma"), HasSubstr("title"));
  EXPECT_THAT(put("now", "d", "Dubliners"), HasSubstr("title"));
  EXPECT_EQ(put("now", "e", "Ulysses"), "put");
  for (const char* table : {"then", "now"}) db_.expect_consistent(table);
}

// Governing a table moves such items to their key space; before that they are visible.
TEST_P(GovernedRestore, WhatWasAnItemThenIsOne) {
  switch_on();
  const Item item{{"PK", "$done"}, {"SK", "x"}};
  ASSERT_TRUE(db_->put_item({.table_name = "library", .item = *pack(item)}));
  const WallTime moment = clock_.now();
  clock_.advance(seconds(1));
  govern("library");
  EXPECT_THAT(db_.scan_all("library"), SizeIs(0));
  clock_.advance(seconds(1));
  restore("then", moment);
  restore("now", clock_.now());
  EXPECT_THAT(db_.scan_all("then"), SizeIs(1));
  EXPECT_THAT(db_.scan_all("now"), SizeIs(0));
  const auto found = db_->get_item({.table_name = "library", .key = *pack(item)});
  EXPECT_TRUE(found && found->item) << "known by its key";
  db_.expect_consistent("then");
}

}  // namespace
}  // namespace tavola::engine
