// CreateTable, DescribeTable, ListTables, UpdateTable and DeleteTable, on both stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Tables : public testing::TestWithParam<StoreKind> {
 protected:
  Tables() : db_(GetParam()) {}

  TableDescription create(const CreateTableRequest& request) {
    const auto created = db_->create_table(request);
    EXPECT_TRUE(created) << created.error().message();
    return created ? created->table : TableDescription();
  }
  TableDescription describe(const std::string& name) {
    const auto described = db_->describe_table({name});
    EXPECT_TRUE(described) << described.error().message();
    return described ? described->table : TableDescription();
  }
  std::string update_error(const UpdateTableRequest& request) {
    const Dump before = db_.dump();
    const auto updated = db_->update_table(request);
    EXPECT_TRUE(db_.dump() == before || updated) << "a failed update changed the store";
    return updated ? "updated" : updated.error().message();
  }

  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Tables, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// ---- Create and describe ----

TEST_P(Tables, DescribesWhatWasCreated) {
  const CreateTableRequest request = provisioned_table("Music");
  const TableDescription created = create(request);
  const TableDescription table = describe("Music");
  EXPECT_EQ(table.table_name, "Music");
  EXPECT_EQ(table.status, TableStatus::Active);
  EXPECT_THAT(table.attribute_definitions,
              ElementsAre(AttributeDefinition{"a", Type::Binary}, AttributeDefinition{"pk", Type::String},
                          AttributeDefinition{"sk", Type::Number}));
  EXPECT_EQ(table.key_schema, request.key_schema);
  std::vector<GlobalIndex> indexes = request.global_indexes;
  indexes[0].warm_throughput = WarmThroughput{7, 8};  // as provisioned
  EXPECT_EQ(table.global_indexes, indexes);
  EXPECT_EQ(table.warm_throughput, (WarmThroughput{5, 6}));
  EXPECT_EQ(table.local_indexes, request.local_indexes);
  EXPECT_EQ(table.billing_mode, BillingMode::Provisioned);
  EXPECT_EQ(table.throughput, (Throughput{5, 6}));
  EXPECT_FALSE(table.deletion_protection);
  EXPECT_EQ(table.table_class, TableClass::Standard);
  EXPECT_EQ(table.item_count, 0);
  EXPECT_EQ(table.size_bytes, 0);
  EXPECT_EQ(table.index_statistics.size(), 2U);
  EXPECT_EQ(table.table_id, created.table_id);
  EXPECT_EQ(table.table_id.size(), 36U);
  EXPECT_EQ(table.created_at, created.created_at);
  EXPECT_GT(table.created_at.time_since_epoch().count(), 0);
}

TEST_P(Tables, RefusesANameThatIsTaken) {
  create(simple_table("Music"));
  const auto again = db_->create_table(good_table("Music"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::ResourceInUse);
  EXPECT_EQ(again.error().message(), "Table already exists: Music");
  EXPECT_THAT(describe("Music").global_indexes, IsEmpty());
}

TEST_P(Tables, NamesAreCaseSensitiveAndMayBeginAnyWay) {
  for (const char* name : {"abc", "ABC", ".-_", "123"}) create(simple_table(name));
  create(simple_table(std::string(255, 'x')));
  EXPECT_THAT(db_->list_tables({})->table_names,
              ElementsAre(".-_", "123", "ABC", "abc", std::string(255, 'x')));
}

TEST_P(Tables, UnknownTablesAreNotFound) {
  const std::string words = "Requested resource not found: Table: Nowhere not found";
  const auto expect_not_found = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::ResourceNotFound);
    EXPECT_EQ(result.error().message(), words);
  };
  expect_not_found(db_->describe_table({"Nowhere"}));
  expect_not_found(db_->delete_table({"Nowhere"}));
  expect_not_found(db_->update_table({.table_name = "Nowhere", .deletion_protection = true}));
}

TEST_P(Tables, ANewTableOfAnOldNameIsEmptyAndAnotherTable) {
  const TableDescription first = create(good_table());
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 1, a: b"1"})")}));
  ASSERT_TRUE(db_->delete_table({"Music"}));
  const TableDescription second = create(good_table());
  EXPECT_NE(first.table_id, second.table_id);
  EXPECT_THAT(db_.scan_all("Music"), IsEmpty());
  EXPECT_THAT(db_.scan_all("Music", "byA"), IsEmpty());
  db_.expect_consistent("Music");
}

TEST_P(Tables, TablesDoNotSeeEachOther) {
  create(good_table("One"));
  create(good_table("Two"));
  ASSERT_TRUE(db_->put_item({.table_name = "One", .item = item(R"({pk: "p", sk: 1, x: 1})")}));
  ASSERT_TRUE(db_->put_item({.table_name = "Two", .item = item(R"({pk: "p", sk: 1, x: 2})")}));
  ASSERT_TRUE(db_->delete_table({"One"}));
  EXPECT_THAT(db_.scan_all("Two"), ElementsAre(item(R"({pk: "p", sk: 1, x: 2})")));
  db_.expect_consistent("Two");
}

TEST_P(Tables, CountsAndSizesAreExact) {
  create(good_table());
  const auto put = [&](std::string_view notation) {
    ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(notation)}));
    db_.expect_consistent("Music");
  };
  put(R"({pk: "p", sk: 1, a: b"1", x: "one"})");
  put(R"({pk: "p", sk: 1, a: b"2", x: "longer"})");
  put(R"({pk: "p", sk: 1, x: "s"})");
  put(R"({pk: "p", sk: 2, a: b"1"})");
  ASSERT_TRUE(db_->update_item({.table_name = "Music",
                                .key = item(R"({pk: "p", sk: 2})"),
                                .update_expression = "SET a = :a, y = :y",
                                .values = item(R"({:a: b"345", :y: [1, 2, 3]})")}));
  db_.expect_consistent("Music");
  EXPECT_EQ(describe("Music").item_count, 2);
  ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "p", sk: 1})")}));
  ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "p", sk: 2})")}));
  ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "p", sk: 2})")}));
  db_.expect_consistent("Music");
  EXPECT_EQ(describe("Music").item_count, 0);
  EXPECT_EQ(describe("Music").size_bytes, 0);
}

// ---- List ----

TEST_P(Tables, ListsInByteOrderPageByPage) {
  for (const char* name : {"delta", "Alpha", "beta", "gamma"}) create(simple_table(name));
  EXPECT_THAT(db_->list_tables({})->table_names, ElementsAre("Alpha", "beta", "delta", "gamma"));
  EXPECT_EQ(db_->list_tables({})->last_evaluated_table_name, "");
  const auto first = db_->list_tables({.limit = 3});
  EXPECT_THAT(first->table_names, ElementsAre("Alpha", "beta", "delta"));
  EXPECT_EQ(first->last_evaluated_table_name, "delta");
  const auto second = db_->list_tables({.exclusive_start_table_name = "delta", .limit = 3});
  EXPECT_THAT(second->table_names, ElementsAre("gamma"));
  EXPECT_EQ(second->last_evaluated_table_name, "");
  EXPECT_EQ(db_->list_tables({.limit = 4})->last_evaluated_table_name, "");
  EXPECT_THAT(db_->list_tables({.exclusive_start_table_name = "bat"})->table_names,
              ElementsAre("beta", "delta", "gamma"));
  EXPECT_THAT(db_->list_tables({.exclusive_start_table_name = "zzz"})->table_names, IsEmpty());
}

TEST_P(Tables, ListsAtMostOneHundred) {
  for (int i = 100; i <= 200; ++i) create(simple_table("t" + std::to_string(i)));
  const auto page = db_->list_tables({});
  EXPECT_EQ(page->table_names.size(), 100U);
  EXPECT_EQ(page->last_evaluated_table_name, "t199");
  EXPECT_EQ(
      db_->list_tables({.limit = 0}).error().message(),
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have "
      "value greater than or equal to 1");
  EXPECT_EQ(
      db_->list_tables({.limit = 101}).error().message(),
      "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have "
      "value less than or equal to 100");
}

// ---- Delete ----

TEST_P(Tables, DeletingLeavesNothingBehind) {
  create(good_table());
  for (int i = 0; i < 20; ++i) {
    const Item song{{"pk", "p" + std::to_string(i)}, {"sk", i}, {"a", Binary{"1"}}};
    ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = *pack(song)}));
  }
  const auto deleted = db_->delete_table({"Music"});
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->table.table_name, "Music");
  EXPECT_EQ(deleted->table.status, TableStatus::Deleting);
  EXPECT_THAT(db_.data(), IsEmpty());
  EXPECT_THAT(db_->list_tables({})->table_names, IsEmpty());
}

TEST_P(Tables, DeletionProtectionHolds) {
  CreateTableRequest request = simple_table("Safe");
  request.deletion_protection = true;
  create(request);
  const auto refused = db_->delete_table({"Safe"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Validation);
  EXPECT_EQ(refused.error().message(),
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion "
            "protection first.");
  ASSERT_TRUE(db_->update_table({.table_name = "Safe", .deletion_protection = false}));
  EXPECT_FALSE(describe("Safe").deletion_protection);
  EXPECT_TRUE(db_->delete_table({"Safe"}));
}

// ---- Update ----

TEST_P(Tables, UpdatesWhatItIsAskedFor) {
  create(provisioned_table("Music"));
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 1, a: b"1"})")}));
  const auto updated = db_->update_table({.table_name = "Music",
                                          .throughput = Throughput{10, 20},
                                          .index_updates = {{"byA", {.throughput = Throughput{30, 40}}}}});
  ASSERT_TRUE(updated) << updated.error().message();
  ASSERT_TRUE(db_->update_table({.table_name = "Music", .deletion_protection = true}));
  ASSERT_TRUE(
      db_->update_table({.table_name = "Music", .table_class = TableClass::StandardInfrequentAccess}));
  EXPECT_EQ(updated->table.item_count, 1);
  const TableDescription table = describe("Music");
  EXPECT_EQ(table.throughput, (Throughput{10, 20}));
  EXPECT_EQ(table.global_indexes[0].throughput, (Throughput{30, 40}));
  EXPECT_TRUE(table.deletion_protection);
  EXPECT_EQ(table.table_class, TableClass::StandardInfrequentAccess);
  db_.expect_consistent("Music");  // the indexes are the same ones
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 2, a: b"1"})")}));
  db_.expect_consistent("Music");
}

TEST_P(Tables, BillingGoesOnDemandAndBack) {
  create(provisioned_table("Music"));
  ASSERT_TRUE(db_->update_table({.table_name = "Music", .billing_mode = BillingMode::PayPerRequest}));
  EXPECT_EQ(describe("Music").billing_mode, BillingMode::PayPerRequest);
  EXPECT_EQ(describe("Music").throughput, std::nullopt);
  EXPECT_EQ(describe("Music").global_indexes[0].throughput, std::nullopt);
  EXPECT_EQ(
      update_error({.table_name = "Music", .throughput = Throughput{1, 1}}),
      "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be "
      "specified when BillingMode is PAY_PER_REQUEST");
  EXPECT_EQ(
      update_error({.table_name = "Music", .index_updates = {{"byA", {.throughput = Throughput{1, 1}}}}}),
      "One or more parameter values were invalid: The only Updates for index: byA when TableThroughputMode "
      "is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput");
  EXPECT_EQ(update_error({.table_name = "Music", .billing_mode = BillingMode::Provisioned}),
            "One or more parameter values were invalid: ProvisionedThroughput must be specified when "
            "BillingMode is "
            "PROVISIONED");
  EXPECT_EQ(
      update_error(
          {.table_name = "Music", .billing_mode = BillingMode::Provisioned, .throughput = Throughput{1, 1}}),
      "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: byA");
  EXPECT_EQ(update_error({.table_name = "Music",
                          .billing_mode = BillingMode::Provisioned,
                          .throughput = Throughput{1, 2},
                          .index_updates = {{"byA", {.throughput = Throughput{3, 4}}}}}),
            "updated");
  EXPECT_EQ(describe("Music").throughput, (Throughput{1, 2}));
  EXPECT_EQ(describe("Music").global_indexes[0].throughput, (Throughput{3, 4}));
}

TEST_P(Tables, UpdatesThatAreRefused) {
  create(provisioned_table("Music"));
  for (const char* table : {"Music", "Nowhere"}) {  // the request is checked before the table
    EXPECT_EQ(update_error({.table_name = table}),
              "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
              "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
              "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
              "WarmThroughput or TableClass is required");
  }
  EXPECT_EQ(
      update_error({.table_name = "Music", .index_updates = {{"byA", {.throughput = Throughput{1, 0}}}}}),
      "1 validation error detected: Value '0' at "
      "'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.writeCapacityUnits' failed to "
      "satisfy constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(
      update_error({.table_name = "Music", .throughput = Throughput{5, 6}}),
      "The provisioned throughput for the table will not change. The requested value equals the current "
      "value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
      "Current WriteCapacityUnits provisioned for the table: 6. Requested WriteCapacityUnits: 6. Refer to "
      "the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
  EXPECT_EQ(update_error({.table_name = "Music", .throughput = Throughput{1'000'000'000'001, 1}}),
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds");
  EXPECT_EQ(update_error({.table_name = "Music",
                          .index_updates = {{"byA", {.throughput = Throughput{1, 1'000'000'000'001}}}}}),
            "Given value 1000000000001 for WriteCapacityUnits is out of bounds for index byA");
  const auto unknown = db_->update_table(
      {.table_name = "Music", .index_updates = {{"nowhere", {.throughput = Throughput{1, 1}}}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::ResourceNotFound);
  EXPECT_EQ(unknown.error().message(), "Requested resource not found: Index nowhere for table Music");
}

}  // namespace
}  // namespace tavola::engine
