// Batches, tags, time to live and settings of tables, against our own server without its network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/remote_database.h"
#include "wire/service.h"

namespace tavola::remote {
namespace {

PackedItem packed_item(const Item& item) { return *pack(item); }
PackedItem key(int number) { return packed_item({{"id", number}}); }

class BatchesTest : public testing::Test {
 protected:
  BatchesTest()
      : server_(open_in_memory()),
        database_(database_behind({.post = [this](const Operation& operation) { return answer(operation); },
                                   .pause = [](std::chrono::milliseconds) {}})) {
    for (const char* name : {"first", "second"}) {
      CreateTableRequest request{
          .table_name = name,
          .attribute_definitions = {{"id", Type::Number}, {"g"}},
          .key_schema = {{"id"}},
          .global_indexes = {{.name = "byG", .key_schema = {{"g"}}, .throughput = {{3, 4}}}},
          .billing_mode = BillingMode::Provisioned,
          .throughput = Throughput{5, 6},
          .table_class = TableClass::StandardInfrequentAccess,
          .stream = StreamView::NewImage};
      EXPECT_TRUE(database_->create_table(request));
    }
  }

  Result<HttpAnswer> answer(const Operation& operation) {
    if (!next_answer_.empty()) return HttpAnswer{200, std::exchange(next_answer_, {})};
    const wire::Answer given = wire::run(*wire::find_operation(operation.name), *server_, {}, operation.body);
    return HttpAnswer{given.status, given.body};
  }

  std::unique_ptr<Database> server_;
  std::unique_ptr<Database> database_;
  std::string next_answer_;  // instead of the server's
};

TEST_F(BatchesTest, WritesAndKeysOfSeveralTables) {
  const auto written = database_->batch_write_item(
      {.tables = {
           {"first", {{BatchWrite::Kind::Put, key(1)}, {BatchWrite::Kind::Put, key(2)}}},
           {"second", {{BatchWrite::Kind::Put, packed_item({{"id", 3}, {"b", Binary("\x01\xff")}})}}}}});
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_TRUE(written->unprocessed_items.empty());
  ASSERT_TRUE(database_->batch_write_item({.tables = {{"first", {{BatchWrite::Kind::Delete, key(2)}}}}}));
  const auto got = database_->batch_get_item(
      {.tables = {{.table_name = "first", .keys = {key(1), key(2)}, .consistent_read = true},
                  {.table_name = "second",
                   .keys = {key(3)},
                   .projection_expression = "#b",
                   .names = {{"#b", "b"}}}}});
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->tables.size(), 2U);
  EXPECT_EQ(got->tables[0].items, std::vector<PackedItem>{key(1)});
  EXPECT_EQ(got->tables[1].items, std::vector<PackedItem>{packed_item({{"b", Binary("\x01\xff")}})});
  EXPECT_TRUE(got->unprocessed_keys.empty());
}

TEST_F(BatchesTest, ATableThatIsNamedTwiceLosesNothing) {
  const auto written =
      database_->batch_write_item({.tables = {{"first", {{BatchWrite::Kind::Put, key(1)}}},
                                              {"second", {{BatchWrite::Kind::Put, key(3)}}},
                                              {"first", {{BatchWrite::Kind::Put, key(2)}}}}});
  ASSERT_TRUE(written) << written.error().message();
  for (const int number : {1, 2})
    EXPECT_TRUE(server_->get_item({.table_name = "first", .key = key(number)})->item) << number;
  const auto got = database_->batch_get_item(
      {.tables = {{.table_name = "first", .keys = {key(1)}}, {.table_name = "first", .keys = {key(2)}}}});
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message(), testing::HasSubstr("names the table first twice"));
}

TEST_F(BatchesTest, WhatIsLeftComesBackAsItWasSent) {
  next_answer_ =
      R"({"UnprocessedItems":{"first":[{"PutRequest":{"Item":{"id":{"N":"1"},"a":{"S":"x"}}}},{"DeleteRequest":{"Key":{"id":{"N":"2"}}}}]}})";
  const auto written =
      database_->batch_write_item({.tables = {{"first", {{BatchWrite::Kind::Put, key(1)}}}}});
  ASSERT_TRUE(written) << written.error().message();
  ASSERT_EQ(written->unprocessed_items.size(), 1U);
  const TableWrites& left = written->unprocessed_items[0];
  EXPECT_EQ(left.table_name, "first");
  ASSERT_EQ(left.writes.size(), 2U);
  EXPECT_EQ(left.writes[0].item, packed_item({{"id", 1}, {"a", "x"}}));
  EXPECT_EQ(left.writes[1].kind, BatchWrite::Kind::Delete);
  EXPECT_EQ(left.writes[1].item, key(2));

  next_answer_ =
      R"({"Responses":{"first":[{"id":{"N":"1"}}]},"UnprocessedKeys":{"first":{"Keys":[{"id":{"N":"2"}}],"ConsistentRead":true}}})";
  const auto got = database_->batch_get_item(
      {.tables = {{.table_name = "first", .keys = {key(1), key(2)}, .consistent_read = true}}});
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->unprocessed_keys.size(), 1U);
  EXPECT_EQ(got->unprocessed_keys[0].keys, std::vector<PackedItem>{key(2)});
  EXPECT_TRUE(got->unprocessed_keys[0].consistent_read);
}

TEST_F(BatchesTest, WrongAnswersAreErrors) {
  for (const char* text : {R"({"UnprocessedItems":{"first":[{}]}})", R"({"UnprocessedItems":{"first":[3]}})",
                           R"({"UnprocessedItems":{"first":[{"PutRequest":{"Item":{"id":{"N":"x"}}}}]}})"}) {
    next_answer_ = text;
    EXPECT_FALSE(database_->batch_write_item({.tables = {{"first", {{BatchWrite::Kind::Put, key(1)}}}}}))
        << text;
  }
}

TEST_F(BatchesTest, TagsAndTimeToLive) {
  ASSERT_TRUE(database_->tag_resource({.table_name = "first", .tags = {{"a", "1"}, {"b", "2"}}}));
  ASSERT_TRUE(database_->untag_resource({.table_name = "first", .tag_keys = {"a"}}));
  const auto tags = database_->list_tags_of_resource({.table_name = "first"});
  ASSERT_TRUE(tags) << tags.error().message();
  EXPECT_EQ(tags->tags, Tags({{"b", "2"}}));
  EXPECT_EQ(database_->list_tags_of_resource({.table_name = "none"}).error().code(),
            ErrorCode::ResourceNotFound);
  const auto lives =
      database_->update_time_to_live({.table_name = "first", .attribute_name = "until", .enabled = true});
  ASSERT_TRUE(lives) << lives.error().message();
  EXPECT_EQ(database_->describe_time_to_live({.table_name = "first"})->time_to_live.attribute_name, "until");
}

TEST_F(BatchesTest, ATableIsDescribedWithItsSettings) {
  const auto described = database_->describe_table({.table_name = "first"});
  ASSERT_TRUE(described) << described.error().message();
  EXPECT_EQ(described->table.throughput, (Throughput{5, 6}));
  EXPECT_EQ(described->table.global_indexes.at(0).throughput, (Throughput{3, 4}));
  EXPECT_EQ(described->table.table_class, TableClass::StandardInfrequentAccess);
  EXPECT_EQ(described->table.stream, StreamView::NewImage);
  EXPECT_EQ(described->table.billing_mode, BillingMode::Provisioned);
}

}  // namespace
}  // namespace tavola::remote
