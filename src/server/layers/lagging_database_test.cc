#include "server/layers/lagging_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/partiql.h>

namespace tavola::server {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class LaggingDatabaseTest : public testing::Test {
 protected:
  LaggingDatabaseTest() : database_(open_in_memory()) {
    create("orders");
    faults_.on_change([this](const FaultPlan& plan) { views_.keep(index_lags(plan)); });
  }
  void create(const std::string& name) {
    const auto made = database_->create_table(
        {.table_name = name,
         .attribute_definitions = {{"id"}, {"state"}},
         .key_schema = {{"id"}},
         .global_indexes = {{.name = "byState", .key_schema = {{"state"}, {"id", KeyType::Range}}}}});
    ASSERT_TRUE(made) << made.error().message();
  }
  void plan(const std::string& text) { faults_.replace(parse_fault_plan(text).value()); }
  void put(const std::string& id, const std::string& table = "orders") {
    ASSERT_TRUE(
        database_->put_item({.table_name = table, .item = pack({{"id", id}, {"state", "open"}}).value()}));
  }
  // Advances time as the thread of a server does, a millisecond at a time.
  void pass(milliseconds time) {
    for (milliseconds i{0}; i < time; ++i) {
      now_ += milliseconds(1);
      views_.take_due();
    }
  }
  static std::vector<std::string> ids(const std::vector<PackedItem>& items) {
    std::vector<std::string> found;
    for (const PackedItem& item : items) found.emplace_back(item.view().find("id")->string());
    return found;
  }
  std::vector<std::string> seen(const std::string& table = "orders") {
    LaggingDatabase lagging(*database_, faults_, views_);
    const auto queried = lagging.query({.table_name = table,
                                        .index_name = "byState",
                                        .key_condition_expression = "#s = :s",
                                        .names = {{"#s", "state"}},
                                        .values = pack({{":s", "open"}}).value()});
    const auto scanned = lagging.scan({.table_name = table, .index_name = "byState"});
    EXPECT_TRUE(queried) << queried.error().message();
    EXPECT_TRUE(scanned);
    EXPECT_EQ(ids(queried->items), ids(scanned->items));
    EXPECT_EQ(queried->count, static_cast<std::int64_t>(queried->items.size()));
    return ids(queried->items);
  }

  std::unique_ptr<Database> database_;
  PastViews::Moment now_{std::chrono::hours(1)};
  PastViews views_{*database_, PastViews::Taken::ByHand, [this] { return now_; }};
  Faults faults_;
};

TEST_F(LaggingDatabaseTest, WithoutALagThereIsNone) {
  put("a");
  EXPECT_THAT(seen(), ElementsAre("a"));
  EXPECT_EQ(views_.count(), 0U);
  plan("throttle=0,latency=5ms");
  EXPECT_THAT(seen(), ElementsAre("a"));
  EXPECT_EQ(views_.count(), 0U);
}

// A write becomes visible no sooner than the lag, and at most a quarter of it later.
TEST_F(LaggingDatabaseTest, AnIndexShowsWhatWasThere) {
  plan("gsi-lag=200ms");
  pass(milliseconds(33));
  put("a");
  milliseconds waited{0};
  while (seen().empty()) {
    pass(milliseconds(1));
    ASSERT_LE(++waited, milliseconds(252));
  }
  EXPECT_GE(waited, milliseconds(199));
  EXPECT_GT(faults_.injected(FaultKind::IndexLag), 100U);
}

TEST_F(LaggingDatabaseTest, AlsoWhenNobodyDidAnythingForAWhile) {
  plan("gsi-lag=200ms");
  put("a");
  pass(milliseconds(1000));
  EXPECT_THAT(seen(), ElementsAre("a"));
  put("b");
  EXPECT_THAT(seen(), ElementsAre("a"));
  pass(milliseconds(260));
  EXPECT_THAT(seen(), ElementsAre("a", "b"));
  ASSERT_TRUE(database_->delete_item({.table_name = "orders", .key = pack({{"id", "a"}}).value()}));
  EXPECT_THAT(seen(), ElementsAre("a", "b"));
  pass(milliseconds(260));
  EXPECT_THAT(seen(), ElementsAre("b"));
}

TEST_F(LaggingDatabaseTest, TheTableItselfDoesNotLag) {
  plan("gsi-lag=200ms");
  put("a");
  LaggingDatabase lagging(*database_, faults_, views_);
  EXPECT_EQ(lagging.scan({.table_name = "orders"})->count, 1);
  EXPECT_TRUE(lagging.get_item({.table_name = "orders", .key = pack({{"id", "a"}}).value()})->item);
  EXPECT_EQ(faults_.injected(FaultKind::IndexLag), 0U);
}

TEST_F(LaggingDatabaseTest, LocalIndexesDoNotLag) {
  ASSERT_TRUE(database_->create_table(
      {.table_name = "local",
       .attribute_definitions = {{"id"}, {"sk"}, {"at"}},
       .key_schema = {{"id"}, {"sk", KeyType::Range}},
       .local_indexes = {{.name = "byTime", .key_schema = {{"id"}, {"at", KeyType::Range}}}}}));
  plan("gsi-lag=200ms");
  ASSERT_TRUE(database_->put_item(
      {.table_name = "local", .item = pack({{"id", "a"}, {"sk", "1"}, {"at", "2"}}).value()}));
  LaggingDatabase lagging(*database_, faults_, views_);
  EXPECT_EQ(lagging.scan({.table_name = "local", .index_name = "byTime"})->count, 1);
}

TEST_F(LaggingDatabaseTest, StatementsReadTheSame) {
  plan("gsi-lag=200ms");
  put("a");
  LaggingDatabase lagging(*database_, faults_, views_);
  const ExecuteStatementRequest select{.statement =
                                           R"(SELECT * FROM "orders"."byState" WHERE state = 'open')"};
  EXPECT_THAT(execute_statement(lagging, select)->items, IsEmpty());
  pass(milliseconds(260));
  EXPECT_EQ(execute_statement(lagging, select)->items.size(), 1U);
}

TEST_F(LaggingDatabaseTest, TablesHaveTheirOwnLags) {
  create("users");
  create("spared");
  plan("gsi-lag=200ms,gsi-lag@users=1s,gsi-lag@spared=0ms");
  for (const char* table : {"orders", "users", "spared"}) put("a", table);
  EXPECT_THAT(seen("spared"), ElementsAre("a"));
  EXPECT_THAT(seen("orders"), IsEmpty());
  pass(milliseconds(260));
  EXPECT_THAT(seen("orders"), ElementsAre("a"));
  EXPECT_THAT(seen("users"), IsEmpty());
  pass(milliseconds(1000));
  EXPECT_THAT(seen("users"), ElementsAre("a"));
}

TEST_F(LaggingDatabaseTest, TheIndexOfANewTableIsEmptyAtFirst) {
  plan("gsi-lag=200ms");
  pass(milliseconds(500));
  create("fresh");
  put("a", "fresh");
  EXPECT_THAT(seen("fresh"), IsEmpty());
  pass(milliseconds(260));
  EXPECT_THAT(seen("fresh"), ElementsAre("a"));
  // A table of the same name is another one: items of the first are not visible in it.
  ASSERT_TRUE(database_->delete_table({.table_name = "fresh"}));
  LaggingDatabase lagging(*database_, faults_, views_);
  const auto gone = lagging.scan({.table_name = "fresh", .index_name = "byState"});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), ErrorCode::ResourceNotFound);
  create("fresh");
  EXPECT_THAT(seen("fresh"), IsEmpty());
  put("b", "fresh");
  pass(milliseconds(260));
  EXPECT_THAT(seen("fresh"), ElementsAre("b"));
}

TEST_F(LaggingDatabaseTest, WhatIsWrongIsToldAtOnce) {
  plan("gsi-lag=200ms");
  LaggingDatabase lagging(*database_, faults_, views_);
  const auto index = lagging.scan({.table_name = "orders", .index_name = "nowhere"});
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code(), ErrorCode::Validation);
}

TEST_F(LaggingDatabaseTest, ViewsAreFewAndEnd) {
  plan("gsi-lag=200ms,gsi-lag@users=20ms");
  for (int i = 0; i < 50; ++i) {
    pass(milliseconds(37));
    EXPECT_LE(views_.count(), 12U);
  }
  EXPECT_GE(views_.count(), 8U);
  plan("gsi-lag@users=20ms");
  EXPECT_LE(views_.count(), 6U);
  plan("");
  EXPECT_EQ(views_.count(), 0U);
  put("a");
  EXPECT_THAT(seen(), ElementsAre("a"));
}

TEST_F(LaggingDatabaseTest, APlanThatKeepsALagKeepsItsPast) {
  plan("gsi-lag=200ms");
  pass(milliseconds(300));
  put("a");
  pass(milliseconds(100));
  plan("gsi-lag=200ms,throttle=0");
  pass(milliseconds(160));
  EXPECT_THAT(seen(), ElementsAre("a"));
}

// The thread of a server: the machine decides how soon it runs, but it must run.
TEST(PastViews, AreTakenByAThread) {
  const std::unique_ptr<Database> database = open_in_memory();
  PastViews views(*database);
  const milliseconds lag(20);
  views.keep({lag});
  ASSERT_TRUE(database->create_table(
      {.table_name = "later", .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}}));
  EXPECT_TRUE(views.find(lag)->list_tables({})->table_names.empty());
  for (int i = 0; views.find(lag)->list_tables({})->table_names.empty(); ++i) {
    ASSERT_LT(i, 3000);
    std::this_thread::sleep_for(milliseconds(10));
  }
  views.keep({});
  EXPECT_EQ(views.find(lag), nullptr);
}

}  // namespace
}  // namespace tavola::server
