// Two engines on one store, as two servers have them: neither shows what the other one has changed since.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kPolicy =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:PutItem","Resource":"*"}]})";
constexpr const char* kNotFound = "Requested resource not found";

class SeveralEngines : public testing::Test {
 protected:
  std::string put(TestDatabase& db, const std::string& table, std::string_view notation) {
    const auto done = db->put_item({.table_name = table, .item = item(notation)});
    return done ? "done" : done.error().message();
  }
  std::string get(TestDatabase& db, const std::string& table, std::string_view key) {
    const auto found = db->get_item({.table_name = table, .key = item(key)});
    if (!found) return found.error().message();
    return found->item ? "found" : "missing";
  }
  std::string scan(TestDatabase& db, const std::string& table) {
    const auto found = db->scan({.table_name = table});
    return found ? std::to_string(found->items.size()) : found.error().message();
  }

  TestDatabase first_{StoreKind::Postgres};
  TestDatabase second_{first_};
};

TEST_F(SeveralEngines, ShareTheirTables) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  EXPECT_EQ(put(second_, "Table", R"({pk: "a"})"), "done");
  EXPECT_EQ(get(first_, "Table", R"({pk: "a"})"), "found");
}

TEST_F(SeveralEngines, ADeletedTableIsReadNoMore) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  EXPECT_EQ(put(first_, "Table", R"({pk: "a"})"), "done");
  EXPECT_EQ(get(second_, "Table", R"({pk: "a"})"), "found");
  ASSERT_TRUE(first_->delete_table({"Table"}));
  EXPECT_EQ(get(second_, "Table", R"({pk: "a"})"), kNotFound);
  EXPECT_EQ(scan(second_, "Table"), kNotFound);
  EXPECT_EQ(put(second_, "Table", R"({pk: "a"})"), kNotFound);
  EXPECT_FALSE(second_->describe_table({"Table"}));
}

TEST_F(SeveralEngines, ATableThatTookTheNameOfAnotherIsKnownAtOnce) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  EXPECT_EQ(put(second_, "Table", R"({pk: "a"})"), "done");
  ASSERT_TRUE(first_->delete_table({"Table"}));
  CreateTableRequest other = simple_table("Table");
  other.attribute_definitions = {{"id", Type::String}};
  other.key_schema = {hash("id")};
  ASSERT_TRUE(first_->create_table(other));
  EXPECT_EQ(scan(second_, "Table"), "0");
  EXPECT_EQ(put(second_, "Table", R"({id: "a"})"), "done");  // and is not refused for the keys of the old one
  EXPECT_EQ(get(first_, "Table", R"({id: "a"})"), "found");
}

TEST_F(SeveralEngines, APolicyHoldsEverywhereAtOnce) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  EXPECT_FALSE(second_->get_resource_policy({.resource = "Table"}));  // remembers that there is none
  ASSERT_TRUE(first_->put_resource_policy({.resource = "Table", .policy = std::string(kPolicy)}));
  const auto found = second_->get_resource_policy({.resource = "Table"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->policy, kPolicy);
  ASSERT_TRUE(first_->delete_resource_policy({.resource = "Table"}));
  EXPECT_FALSE(second_->get_resource_policy({.resource = "Table"}));
}

TEST_F(SeveralEngines, AStreamThatIsSwitchedOnGetsTheWritesOfAll) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  EXPECT_EQ(put(second_, "Table", R"({pk: "a"})"), "done");
  UpdateTableRequest update{.table_name = "Table"};
  update.stream = StreamView::NewImage;
  ASSERT_TRUE(first_->update_table(update));
  EXPECT_EQ(put(second_, "Table", R"({pk: "b"})"), "done");
  const auto streams = second_->list_streams({.table_name = "Table"});
  ASSERT_TRUE(streams);
  ASSERT_EQ(streams->streams.size(), 1U);
  std::size_t records = 0;
  for (const Shard& shard : second_->describe_stream({.stream = streams->streams[0].stream})->stream.shards) {
    const auto begin = first_->get_shard_iterator({.stream = streams->streams[0].stream,
                                                   .shard_id = shard.shard_id,
                                                   .type = ShardIteratorType::TrimHorizon});
    ASSERT_TRUE(begin);
    records += first_->get_records({.shard_iterator = begin->shard_iterator})->records.size();
  }
  EXPECT_EQ(records, 1U);
}

TEST_F(SeveralEngines, OnlyOneDoesTheBackgroundWork) {
  EXPECT_TRUE(first_.store().leads());
  EXPECT_FALSE(second_.store().leads());
  EXPECT_TRUE(first_.store().leads());
}

TEST_F(SeveralEngines, BackupsAreRefusedInWords) {
  ASSERT_TRUE(first_->create_table(simple_table("Table")));
  const auto backup = first_->create_backup({.table_name = "Table", .backup_name = "first"});
  ASSERT_FALSE(backup);
  EXPECT_EQ(backup.error().message(), backups_are_elsewhere().message());
  const auto recovery = first_->update_continuous_backups({.table_name = "Table", .enabled = true});
  ASSERT_FALSE(recovery);
  EXPECT_EQ(recovery.error().message(), backups_are_elsewhere().message());
  EXPECT_TRUE(first_->delete_table({"Table"}));
}

}  // namespace
}  // namespace tavola::engine
