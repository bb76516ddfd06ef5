#include "server/layers/enforced_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/partiql.h>
#include <tavola/table.h>

#include "base/test_clock.h"

namespace tavola::server {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kTableWords =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API.";
constexpr const char* kIndexWords =
    "The level of configured provisioned throughput for one or more global secondary indexes of the table "
    "was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary "
    "indexes with the UpdateTable API";
constexpr const char* kOnDemandWords =
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index";

PackedItem packed(const Item& item) { return pack(item).value(); }
PackedItem key(const std::string& id) { return packed({{"id", id}}); }

// A table "slow" of 2 units each way with an index "byGroup" whose units each test sets, and a table "other" without
// limits.
class EnforcedDatabaseTest : public testing::Test {
 protected:
  EnforcedDatabaseTest() : engine_(open_in_memory()), database_(*engine_, clock_) {
    EXPECT_TRUE(database_.create_table(
        {.table_name = "other", .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}}));
  }

  void create(Throughput own, Throughput index = {100, 100}) {
    CreateTableRequest request{.table_name = "slow",
                               .attribute_definitions = {{"id"}, {"group"}},
                               .key_schema = {{"id"}},
                               .billing_mode = BillingMode::Provisioned,
                               .throughput = own};
    request.global_indexes.push_back({.name = "byGroup", .key_schema = {{"group"}}, .throughput = index});
    const auto made = database_.create_table(request);
    ASSERT_TRUE(made) << made.error().message();
  }

  Result<PutItemResponse> put(const std::string& id, const std::string& text = "") {
    return database_.put_item(
        {.table_name = "slow", .item = packed({{"id", id}, {"group", "g"}, {"text", text}})});
  }
  Result<GetItemResponse> get(const std::string& id) {
    return database_.get_item({.table_name = "slow", .key = key(id), .consistent_read = true});
  }
  // Returns how many of these are admitted, one after the other at one time.
  template <class Call>
  int let_in(Call call) {
    int count = 0;
    while (count < 10'000 && call()) ++count;
    return count;
  }
  std::int64_t count(const std::string& table) {
    return engine_->describe_table({.table_name = table}).value().table.item_count;
  }

  TestClock clock_;
  std::unique_ptr<Database> engine_;
  EnforcedDatabase database_;
};

TEST_F(EnforcedDatabaseTest, ASecondsUnitsThenRefusedInAwsWordsThenAgain) {
  create({2, 3});
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 3);
  const auto refused = put("b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::ProvisionedThroughputExceeded);
  EXPECT_EQ(refused.error().message(), kTableWords);
  const auto* detail = refused.error().detail<ThrottlingDetail>();
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(reason_name(detail->reasons.at(0)), "TableWriteProvisionedThroughputExceeded");
  EXPECT_EQ(count("slow"), 1) << "what is refused is not done";
  EXPECT_EQ(let_in([&] { return get("a").has_value(); }), 2) << "reads have units of their own";
  clock_.advance(seconds(1));
  EXPECT_EQ(let_in([&] { return put("b").has_value(); }), 3);
  EXPECT_EQ(database_.throttle_events(UnitKind::Write), 3U);
  EXPECT_EQ(database_.throttle_events(UnitKind::Read), 1U);
}

TEST_F(EnforcedDatabaseTest, UnusedUnitsAreKeptForFiveMinutes) {
  create({1, 1});
  clock_.advance(std::chrono::hours(2));
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 300);
  clock_.advance(seconds(1));
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 1);
}

TEST_F(EnforcedDatabaseTest, ALargeItemIsPaidOff) {
  create({1, 1});
  ASSERT_TRUE(put("large", std::string(10'000, 'x')));  // ten units
  clock_.advance(seconds(9));
  EXPECT_FALSE(put("a"));
  clock_.advance(seconds(1));
  EXPECT_TRUE(put("a"));
}

TEST_F(EnforcedDatabaseTest, AWriteIsRefusedWhenAnIndexHasNoUnits) {
  create({100, 100}, {100, 1});
  ASSERT_TRUE(put("a"));
  const auto refused = put("b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), kIndexWords);
  const auto* detail = refused.error().detail<ThrottlingDetail>();
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->reasons.at(0).index, "byGroup");
  EXPECT_EQ(reason_name(detail->reasons.at(0)), "IndexWriteProvisionedThroughputExceeded");
}

TEST_F(EnforcedDatabaseTest, AnIndexIsReadWithUnitsOfItsOwn) {
  create({1, 100}, {1, 100});
  ASSERT_TRUE(put("a"));
  const auto query = [&] {
    return database_.query({.table_name = "slow",
                            .index_name = "byGroup",
                            .key_condition_expression = "#g = :g",
                            .names = {{"#g", "group"}},
                            .values = packed({{":g", "g"}})});
  };
  EXPECT_EQ(let_in([&] { return query().has_value(); }), 2) << "half a unit each";
  EXPECT_EQ(query().error().detail<ThrottlingDetail>()->reasons.at(0).index, "byGroup");
  EXPECT_TRUE(get("a"));
}

TEST_F(EnforcedDatabaseTest, TheClientIsToldWhatItAskedFor) {
  create({100, 100});
  for (const auto asked :
       {ReturnConsumedCapacity::None, ReturnConsumedCapacity::Total, ReturnConsumedCapacity::Indexes}) {
    const PutItemRequest request{.table_name = "slow",
                                 .item = packed({{"id", "a"}, {"group", "g"}}),
                                 .return_consumed_capacity = asked};
    const auto plain = engine_->put_item(request);
    const auto enforced = database_.put_item(request);
    ASSERT_TRUE(plain && enforced);
    ASSERT_EQ(plain->consumed_capacity.has_value(), enforced->consumed_capacity.has_value());
    if (!plain->consumed_capacity) continue;
    EXPECT_EQ(plain->consumed_capacity->units, enforced->consumed_capacity->units);
    EXPECT_EQ(plain->consumed_capacity->table_units, enforced->consumed_capacity->table_units);
    EXPECT_EQ(plain->consumed_capacity->global_index_units, enforced->consumed_capacity->global_index_units);
  }
}

TEST_F(EnforcedDatabaseTest, AFailedConditionIsChargedByTheItemThatIsThere) {
  create({100, 1});
  ASSERT_TRUE(put("a", std::string(4000, 'x')));
  clock_.advance(seconds(4));
  clock_.advance(std::chrono::milliseconds(100));
  const auto failed = database_.delete_item(
      {.table_name = "slow", .key = key("a"), .condition_expression = "attribute_not_exists(id)"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::ConditionalCheckFailed);
  EXPECT_EQ(failed.error().detail<ConditionFailure>(), nullptr) << "nobody asked for the item";
  clock_.advance(seconds(2));
  EXPECT_FALSE(put("b")) << "four units";
  clock_.advance(seconds(1));
  EXPECT_TRUE(put("b"));
}

TEST_F(EnforcedDatabaseTest, WhatIsWrongCostsNothing) {
  create({1, 1});
  for (int i = 0; i < 20; ++i) {
    const auto wrong = database_.put_item({.table_name = "slow", .item = packed({{"no", "key"}})});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), ErrorCode::Validation);
  }
  EXPECT_TRUE(put("a"));
  EXPECT_EQ(database_.put_item({.table_name = "none", .item = key("a")}).error().code(),
            ErrorCode::ResourceNotFound);
}

TEST_F(EnforcedDatabaseTest, ABatchLeavesWhatDoesNotFit) {
  create({4, 4});
  BatchWriteItemRequest request{.tables = {{.table_name = "slow"}, {.table_name = "other"}}};
  for (int i = 0; i < 10; ++i) {
    request.tables[0].writes.push_back({BatchWrite::Kind::Put, key("slow" + std::to_string(i))});
    request.tables[1].writes.push_back({BatchWrite::Kind::Put, key("other" + std::to_string(i))});
  }
  auto written = database_.batch_write_item(request);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(count("slow"), 4);
  EXPECT_EQ(count("other"), 10);
  ASSERT_EQ(written->unprocessed_items.size(), 1U);
  EXPECT_EQ(written->unprocessed_items[0].writes.size(), 6U);
  EXPECT_TRUE(written->consumed_capacity.empty());
  EXPECT_EQ(database_.throttle_events(UnitKind::Write), 6U);

  const auto refused = database_.batch_write_item({.tables = written->unprocessed_items});
  ASSERT_FALSE(refused) << "nothing fits";
  EXPECT_EQ(refused.error().code(), ErrorCode::ProvisionedThroughputExceeded);
  while (!written->unprocessed_items.empty()) {
    clock_.advance(seconds(1));
    written = database_.batch_write_item({.tables = written->unprocessed_items});
    ASSERT_TRUE(written);
  }
  EXPECT_EQ(count("slow"), 10);
}

TEST_F(EnforcedDatabaseTest, ABatchOfKeysLeavesWhatDoesNotFit) {
  create({2, 100});
  BatchGetItemRequest request{.tables = {{.table_name = "other", .keys = {key("a")}},
                                         {.table_name = "slow", .keys = {}, .consistent_read = true}}};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(put(std::to_string(i)));
    request.tables[1].keys.push_back(key(std::to_string(i)));
  }
  const auto got = database_.batch_get_item(request);
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->tables.size(), 2U);
  EXPECT_EQ(got->tables[0].table_name, "other");
  EXPECT_EQ(got->tables[1].items.size(), 2U);
  ASSERT_EQ(got->unprocessed_keys.size(), 1U);
  EXPECT_EQ(got->unprocessed_keys[0].keys.size(), 3U);
  EXPECT_TRUE(got->unprocessed_keys[0].consistent_read);
}

TEST_F(EnforcedDatabaseTest, ATransactionIsCancelledWithAReasonAndDoesNothing) {
  create({4, 4});
  const auto write = [&](const std::string& id) {
    return database_.transact_write_items(
        {.actions = {PutItemRequest{.table_name = "other", .item = key(id)},
                     PutItemRequest{.table_name = "slow", .item = key(id)},
                     PutItemRequest{.table_name = "slow", .item = key(id + "2")}}});
  };
  ASSERT_TRUE(write("a"));  // two units each: four of them
  const auto refused = write("b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::TransactionCanceled);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("[None, ProvisionedThroughputExceeded, ProvisionedThroughputExceeded]"));
  EXPECT_EQ(refused.error().detail<TransactionCancellation>()->reasons.at(1).message, kTableWords);
  EXPECT_EQ(count("other"), 1);
  clock_.advance(seconds(1));
  EXPECT_TRUE(write("b"));
  const auto read = [&] {
    return database_.transact_get_items({.gets = {{.table_name = "slow", .key = key("a")}}});
  };
  EXPECT_EQ(let_in([&] { return read().has_value(); }), 4) << "the units of two seconds, two each";
  EXPECT_EQ(read().error().code(), ErrorCode::TransactionCanceled);
}

TEST_F(EnforcedDatabaseTest, ALargeTransactionGetsThroughInTheEnd) {
  create({1, 1});
  TransactWriteItemsRequest request;
  for (int i = 0; i < 100; ++i) {
    request.actions.emplace_back(PutItemRequest{
        .table_name = "slow", .item = packed({{"id", std::to_string(i)}, {"text", std::string(3000, 'x')}})});
  }
  ASSERT_TRUE(database_.transact_write_items(request)) << "600 units, more than are ever kept";
  clock_.advance(seconds(599));
  EXPECT_FALSE(put("a"));
  clock_.advance(seconds(1));
  EXPECT_TRUE(put("a"));
}

TEST_F(EnforcedDatabaseTest, ARepeatedTransactionIsARead) {
  create({100, 2});
  const TransactWriteItemsRequest request{.actions = {PutItemRequest{.table_name = "slow", .item = key("a")}},
                                          .client_request_token = "token"};
  ASSERT_TRUE(database_.transact_write_items(request));
  clock_.advance(seconds(1));
  ASSERT_TRUE(database_.transact_write_items(request));
  EXPECT_EQ(let_in([&] { return put("b").has_value(); }), 2) << "no write unit was used";
}

TEST_F(EnforcedDatabaseTest, OnDemandTablesHaveTheLimitThatTheyWereGiven) {
  const auto made = database_.create_table({.table_name = "capped",
                                            .attribute_definitions = {{"id"}},
                                            .key_schema = {{"id"}},
                                            .on_demand_limits = OnDemandLimits{.write_units = 2}});
  ASSERT_TRUE(made);
  ASSERT_TRUE(made->table.on_demand_limits);
  const auto put_capped = [&] { return database_.put_item({.table_name = "capped", .item = key("a")}); };
  EXPECT_EQ(let_in([&] { return put_capped().has_value(); }), 2);
  const auto refused = put_capped();
  EXPECT_EQ(refused.error().code(), ErrorCode::Throttling);
  EXPECT_EQ(refused.error().message(), kOnDemandWords);
  EXPECT_EQ(reason_name(refused.error().detail<ThrottlingDetail>()->reasons.at(0)),
            "TableWriteMaxOnDemandThroughputExceeded");
  const auto cancelled =
      database_.transact_write_items({.actions = {PutItemRequest{.table_name = "capped", .item = key("a")}}});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().detail<TransactionCancellation>()->reasons.at(0).code, "ThrottlingError");
}

TEST_F(EnforcedDatabaseTest, AChangedTableHasItsNewRateAtOnce) {
  create({1, 1});
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 1);
  ASSERT_TRUE(database_.update_table({.table_name = "slow", .throughput = Throughput{1, 50}}));
  clock_.advance(seconds(1));
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 50);
  ASSERT_TRUE(database_.update_table({.table_name = "slow", .billing_mode = BillingMode::PayPerRequest}));
  EXPECT_EQ(let_in([&] { return put("a").has_value(); }), 10'000);
}

TEST_F(EnforcedDatabaseTest, ATableThatIsCreatedAgainBeginsAnew) {
  create({1, 1});
  ASSERT_TRUE(put("large", std::string(100'000, 'x')));
  ASSERT_TRUE(database_.delete_table({.table_name = "slow"}));
  create({1, 1});
  EXPECT_TRUE(put("a"));
}

TEST_F(EnforcedDatabaseTest, StatementsAreKeptToItToo) {
  create({100, 1});
  const auto insert = [&](const std::string& id) {
    return execute_statement(database_, {.statement = "INSERT INTO slow VALUE {'id': '" + id + "'}"});
  };
  ASSERT_TRUE(insert("a"));
  EXPECT_EQ(insert("b").error().code(), ErrorCode::ProvisionedThroughputExceeded);
  const auto batch = batch_execute_statement(
      database_, {.statements = {{.statement = "INSERT INTO slow VALUE {'id': 'c'}"}}});
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->responses.at(0).error->code, "ProvisionedThroughputExceeded");
}

TEST_F(EnforcedDatabaseTest, MetricsTellBothKinds) {
  create({1, 1});
  ASSERT_TRUE(put("a"));
  EXPECT_FALSE(put("a"));
  std::string text;
  database_.append_metrics(text);
  EXPECT_THAT(text, HasSubstr("tavola_throttle_events_total{kind=\"write\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tavola_throttle_events_total{kind=\"read\"} 0\n"));
}

}  // namespace
}  // namespace tavola::server
