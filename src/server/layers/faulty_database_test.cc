#include "server/layers/faulty_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/table.h>

#include "database/forwarding_database.h"

namespace tavola::server {
namespace {

constexpr const char* kThrottledWords =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API.";
constexpr const char* kConflictWords = "Transaction is ongoing for the item";

class FaultyDatabaseTest : public testing::Test {
 protected:
  FaultyDatabaseTest() : database_(open_in_memory()) {
    for (const char* name : {"orders", "users"}) {
      const auto made = database_->create_table(
          {.table_name = name, .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}});
      EXPECT_TRUE(made);
    }
  }

  FaultyDatabase with(const char* text) {
    faults_.replace(parse_fault_plan(text).value());
    return {*database_, faults_};
  }
  static PackedItem item(const std::string& id) { return pack({{"id", id}}).value(); }
  std::int64_t count(const std::string& table) {
    return database_->describe_table({.table_name = table}).value().table.item_count;
  }
  static BatchWriteItemRequest batch(int orders, int users) {
    BatchWriteItemRequest request{.tables = {{.table_name = "orders"}, {.table_name = "users"}}};
    for (int i = 0; i < orders; ++i) {
      request.tables[0].writes.push_back({BatchWrite::Kind::Put, item(std::to_string(i))});
    }
    for (int i = 0; i < users; ++i) {
      request.tables[1].writes.push_back({BatchWrite::Kind::Put, item(std::to_string(i))});
    }
    return request;
  }

  std::unique_ptr<Database> database_;
  Faults faults_;
};

TEST_F(FaultyDatabaseTest, SingleRequestsFailInAwsWordsAndDoNothing) {
  struct Case {
    const char* plan;
    ErrorCode code;
    const char* message;
  };
  const Case cases[] = {{"throttle=1", ErrorCode::ProvisionedThroughputExceeded, kThrottledWords},
                        {"conflict=1", ErrorCode::TransactionConflict, kConflictWords},
                        {"error500=1", ErrorCode::Internal, "Internal server error"}};
  for (const auto& [text, code, message] : cases) {
    FaultyDatabase faulty = with(text);
    const auto put = faulty.put_item({.table_name = "orders", .item = item("a")});
    ASSERT_FALSE(put) << text;
    EXPECT_EQ(put.error().code(), code) << text;
    EXPECT_EQ(put.error().message(), message);
    EXPECT_TRUE(faulty.failed_on_purpose());
    EXPECT_EQ(count("orders"), 0);
  }
}

TEST_F(FaultyDatabaseTest, AWriteIsDoneWhoseAnswerIsLost) {
  FaultyDatabase faulty = with("lost=1");
  const auto put = faulty.put_item({.table_name = "orders", .item = item("x")});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code(), ErrorCode::Internal);
  EXPECT_TRUE(faulty.failed_on_purpose());
  EXPECT_FALSE(faulty.batch_write_item(batch(2, 1)));
  EXPECT_EQ(count("orders"), 3);
  EXPECT_TRUE(faulty.get_item({.table_name = "orders", .key = item("x")})->item);
  EXPECT_FALSE(faulty.transact_write_items(
      {.actions = {DeleteItemRequest{.table_name = "orders", .key = item("x")}}}));
  EXPECT_EQ(count("orders"), 2);
  EXPECT_EQ(faults_.injected(FaultKind::Lost), 3U);
}

TEST_F(FaultyDatabaseTest, EveryOperationOnItemsMeetsThem) {
  FaultyDatabase faulty = with("throttle=1");
  EXPECT_FALSE(faulty.get_item({.table_name = "orders", .key = item("a")}));
  EXPECT_FALSE(faulty.put_item({.table_name = "orders", .item = item("a")}));
  EXPECT_FALSE(faulty.update_item({.table_name = "orders", .key = item("a")}));
  EXPECT_FALSE(faulty.delete_item({.table_name = "orders", .key = item("a")}));
  EXPECT_FALSE(faulty.query({.table_name = "orders"}));
  EXPECT_FALSE(faulty.scan({.table_name = "orders"}));
  EXPECT_FALSE(faulty.batch_get_item({.tables = {{.table_name = "orders", .keys = {item("a")}}}}));
  EXPECT_FALSE(faulty.batch_write_item(batch(1, 1)));
  EXPECT_FALSE(faulty.transact_get_items({.gets = {{.table_name = "orders", .key = item("a")}}}));
  EXPECT_FALSE(
      faulty.transact_write_items({.actions = {PutItemRequest{.table_name = "orders", .item = item("a")}}}));
  EXPECT_EQ(faults_.injected(FaultKind::Throttle), 10U);
  EXPECT_TRUE(faulty.describe_table({.table_name = "orders"})) << "tables meet none";
  EXPECT_EQ(count("orders"), 0);
}

TEST_F(FaultyDatabaseTest, ATransactionIsCancelledWithAReason) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {"conflict@users=1", {"TransactionConflict", kConflictWords}},
      {"throttle@users=1", {"ProvisionedThroughputExceeded", kThrottledWords}}};
  for (const auto& [text, reason] : cases) {
    FaultyDatabase faulty = with(text);
    const auto done =
        faulty.transact_write_items({.actions = {PutItemRequest{.table_name = "orders", .item = item("a")},
                                                 PutItemRequest{.table_name = "users", .item = item("a")}}});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), ErrorCode::TransactionCanceled);
    EXPECT_EQ(
        done.error().message(),
        std::string("Transaction cancelled, please refer cancellation reasons for specific reasons [None, ") +
            reason.first + "]");
    const auto* cancellation = done.error().detail<TransactionCancellation>();
    ASSERT_NE(cancellation, nullptr);
    ASSERT_EQ(cancellation->reasons.size(), 2U);
    EXPECT_EQ(cancellation->reasons[0].code, "None");
    EXPECT_EQ(cancellation->reasons[1].code, reason.first);
    EXPECT_EQ(cancellation->reasons[1].message, reason.second);
    EXPECT_EQ(count("orders"), 0);
  }
}

TEST_F(FaultyDatabaseTest, WhatIsUnprocessedWasNotWrittenAndTheRestWas) {
  FaultyDatabase faulty = with("unprocessed=0.5");
  BatchWriteItemRequest request = batch(10, 10);
  int rounds = 0;
  std::int64_t written = 0;
  while (true) {
    const auto some = faulty.batch_write_item(request);
    ASSERT_TRUE(some) << some.error().message();
    std::int64_t sent = 0;
    std::int64_t left = 0;
    for (const TableWrites& table : request.tables) sent += static_cast<std::int64_t>(table.writes.size());
    for (const TableWrites& table : some->unprocessed_items)
      left += static_cast<std::int64_t>(table.writes.size());
    written += sent - left;
    EXPECT_LT(left, sent);
    EXPECT_EQ(count("orders") + count("users"), written);
    ++rounds;
    if (some->unprocessed_items.empty()) break;
    request.tables = some->unprocessed_items;
  }
  EXPECT_EQ(written, 20);
  EXPECT_GT(rounds, 2);
}

// Leaves the first write of every table unprocessed, as a throttled table does.
class BusyDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    BatchWriteItemResponse response;
    for (const TableWrites& table : request.tables) {
      response.unprocessed_items.push_back(
          {.table_name = table.table_name, .writes = {table.writes.front()}});
    }
    return response;
  }
};

TEST_F(FaultyDatabaseTest, WritesThatTheDatabaseLeftUnprocessedStayUnprocessed) {
  BusyDatabase busy(*database_);
  faults_.replace(parse_fault_plan("unprocessed@orders=0.5").value());
  FaultyDatabase faulty(busy, faults_);
  const auto some = faulty.batch_write_item(batch(20, 2));
  ASSERT_TRUE(some) << some.error().message();
  ASSERT_EQ(some->unprocessed_items.size(), 2U) << "on the wire a table has one list";
  const auto left_of = [&some](const char* table) {
    return std::ranges::find(some->unprocessed_items, table, &TableWrites::table_name)->writes.size();
  };
  EXPECT_EQ(left_of("orders"), faults_.injected(FaultKind::Unprocessed) + 1);
  EXPECT_EQ(left_of("users"), 1U);
}

TEST_F(FaultyDatabaseTest, UnprocessedKeysAreAskedAgain) {
  ASSERT_TRUE(database_->batch_write_item(batch(10, 5)));
  FaultyDatabase faulty = with("unprocessed@users=1");
  BatchGetItemRequest request{
      .tables = {{.table_name = "users", .keys = {item("0"), item("1")}, .consistent_read = true},
                 {.table_name = "orders", .keys = {item("3"), item("4")}}}};
  const auto got = faulty.batch_get_item(request);
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->tables.size(), 2U) << "in the order of the request";
  EXPECT_EQ(got->tables[0].table_name, "users");
  EXPECT_TRUE(got->tables[0].items.empty());
  EXPECT_EQ(got->tables[1].items.size(), 2U);
  ASSERT_EQ(got->unprocessed_keys.size(), 1U);
  EXPECT_EQ(got->unprocessed_keys[0].table_name, "users");
  EXPECT_EQ(got->unprocessed_keys[0].keys, request.tables[0].keys);
  EXPECT_TRUE(got->unprocessed_keys[0].consistent_read) << "all of the question comes back";
}

TEST_F(FaultyDatabaseTest, AWrongBatchIsRefusedWhole) {
  FaultyDatabase faulty = with("unprocessed=0.5");
  BatchGetItemRequest request{.tables = {{.table_name = "orders"}}};
  for (int i = 0; i < 101; ++i) request.tables[0].keys.push_back(item(std::to_string(i)));
  EXPECT_FALSE(faulty.batch_get_item(request));
  EXPECT_FALSE(faulty.batch_get_item({}));
  EXPECT_FALSE(faulty.batch_write_item({.tables = {{.table_name = "orders"}, batch(3, 0).tables[0]}}));
  EXPECT_EQ(count("orders"), 0);
}

TEST_F(FaultyDatabaseTest, ATableThatIsNamedTwiceIsAnsweredWhole) {
  ASSERT_TRUE(database_->batch_write_item(batch(4, 1)));
  FaultyDatabase faulty = with("unprocessed=1");
  const auto got =
      faulty.batch_get_item({.tables = {{.table_name = "orders", .keys = {item("0"), item("1")}},
                                        {.table_name = "orders", .keys = {item("2"), item("3")}}}});
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->tables.size(), 2U);
  EXPECT_EQ(got->tables[0].items.size() + got->tables[1].items.size(), 4U);
  EXPECT_TRUE(got->unprocessed_keys.empty());
}

TEST_F(FaultyDatabaseTest, DelaysAddUp) {
  FaultyDatabase faulty = with("latency=5ms");
  EXPECT_TRUE(faulty.put_item({.table_name = "orders", .item = item("a")}));
  EXPECT_TRUE(faulty.get_item({.table_name = "orders", .key = item("a")}));
  EXPECT_EQ(faulty.delay().count(), 10);
  EXPECT_FALSE(faulty.failed_on_purpose());
}

}  // namespace
}  // namespace tavola::server
