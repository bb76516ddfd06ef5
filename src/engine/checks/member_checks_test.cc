// Unknown enum values: C++ lets a caller make one, and nothing may be written for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::IsEmpty;

// A number that none of the enums has.
template <class E>
constexpr E kUnknown = static_cast<E>(99);

constexpr const char* kComparisons =
    "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]";

std::string refusal(const auto& response) {
  if (response) return "done";
  EXPECT_EQ(response.error().code(), ErrorCode::Validation);
  return response.error().message();
}

std::string not_in(const std::string& member, const std::string& names) {
  return "1 validation error detected: Value '99' at '" + member +
         "' failed to satisfy constraint: Member must satisfy enum value set: " + names;
}

class MemberChecks : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(db_->create_table(good_table()));
    before_ = db_.dump();
  }
  void TearDown() override { EXPECT_EQ(db_.dump(), before_); }

  TestDatabase db_{StoreKind::Memory};
  decltype(db_.dump()) before_;
};

TEST(MemberChecksOfTables, CreateTable) {
  const auto created = [](void (*spoil)(CreateTableRequest&)) {
    TestDatabase db(StoreKind::Memory);
    CreateTableRequest request = good_table();
    spoil(request);
    std::string said = refusal(db->create_table(request));
    EXPECT_THAT(db.dump(), IsEmpty());
    return said;
  };
  EXPECT_EQ(created([](auto& r) { r.billing_mode = kUnknown<BillingMode>; }),
            not_in("billingMode", "[PROVISIONED, PAY_PER_REQUEST]"));
  EXPECT_EQ(created([](auto& r) { r.key_schema[1].type = kUnknown<KeyType>; }),
            not_in("keySchema.2.member.keyType", "[HASH, RANGE]"));
  EXPECT_EQ(created([](auto& r) { r.local_indexes[0].key_schema[0].type = kUnknown<KeyType>; }),
            not_in("localSecondaryIndexes.1.member.keySchema.1.member.keyType", "[HASH, RANGE]"));
  EXPECT_EQ(created([](auto& r) { r.global_indexes[0].projection.type = kUnknown<ProjectionType>; }),
            not_in("globalSecondaryIndexes.1.member.projection.projectionType", "[ALL, INCLUDE, KEYS_ONLY]"));
  EXPECT_EQ(created([](auto& r) { r.attribute_definitions[0].type = kUnknown<Type>; }),
            not_in("attributeDefinitions.1.member.attributeType", "[B, N, S]"));
  EXPECT_EQ(
      created([](auto& r) { r.stream = kUnknown<StreamView>; }),
      not_in("streamSpecification.streamViewType", "[NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]"));
  EXPECT_EQ(created([](auto& r) { r.table_class = kUnknown<TableClass>; }),
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            "[STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

TEST_F(MemberChecks, UpdateTable) {
  EXPECT_EQ(refusal(db_->update_table({.table_name = "Music", .billing_mode = kUnknown<BillingMode>})),
            not_in("billingMode", "[PROVISIONED, PAY_PER_REQUEST]"));
  EXPECT_EQ(refusal(db_->update_table({.table_name = "Nowhere", .table_class = kUnknown<TableClass>})),
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            "[STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

TEST_F(MemberChecks, Writes) {
  const PackedItem key = item(R"({pk: "p", sk: 1})");
  PutItemRequest put{.table_name = "Music", .item = key, .return_values = kUnknown<ReturnValues>};
  EXPECT_EQ(refusal(db_->put_item(put)),
            not_in("returnValues", "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"));
  put = {.table_name = "Music", .item = key, .return_consumed_capacity = kUnknown<ReturnConsumedCapacity>};
  EXPECT_EQ(refusal(db_->put_item(put)), not_in("returnConsumedCapacity", "[INDEXES, TOTAL, NONE]"));
  DeleteItemRequest remove{.table_name = "Music", .key = key};
  remove.on_condition_failure = kUnknown<ReturnValuesOnConditionCheckFailure>;
  EXPECT_EQ(refusal(db_->delete_item(remove)),
            not_in("returnValuesOnConditionCheckFailure", "[ALL_OLD, NONE]"));
  remove = {.table_name = "Music", .key = key};
  remove.return_item_collection_metrics = kUnknown<ReturnItemCollectionMetrics>;
  EXPECT_EQ(refusal(db_->delete_item(remove)), not_in("returnItemCollectionMetrics", "[SIZE, NONE]"));
  remove = {.table_name = "Music", .key = key};
  remove.expected = {{"a", {.exists = {}, .value = 1, .op = kUnknown<ComparisonOperator>, .operands = {}}}};
  EXPECT_EQ(refusal(db_->delete_item(remove)), not_in("expected.a.member.comparisonOperator", kComparisons));
  remove.expected.reset();
  remove.conditional_operator = kUnknown<ConditionalOperator>;
  EXPECT_EQ(refusal(db_->delete_item(remove)), not_in("conditionalOperator", "[OR, AND]"));
  UpdateItemRequest update{.table_name = "Music", .key = key, .return_values = kUnknown<ReturnValues>};
  update.attribute_updates = {{"a", {kUnknown<UpdateAction>, 1}}};
  EXPECT_EQ(refusal(db_->update_item(update)),
            "2 validation errors detected: Value '99' at 'returnValues' failed to satisfy constraint: Member "
            "must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value '99' at "
            "'attributeUpdates.a.member.action' failed to satisfy constraint: Member must satisfy enum value "
            "set: [ADD, PUT, DELETE]");
}

TEST_F(MemberChecks, BatchesAndTransactions) {
  const PackedItem key = item(R"({pk: "p", sk: 1})");
  const std::string capacity = not_in("returnConsumedCapacity", "[INDEXES, TOTAL, NONE]");
  constexpr auto kWish = kUnknown<ReturnConsumedCapacity>;
  EXPECT_EQ(refusal(db_->batch_get_item(
                {.tables = {{.table_name = "Music", .keys = {key}}}, .return_consumed_capacity = kWish})),
            capacity);
  EXPECT_EQ(refusal(db_->batch_write_item(
                {.tables = {{"Music", {{BatchWrite::Kind::Put, key}}}}, .return_consumed_capacity = kWish})),
            capacity);
  EXPECT_EQ(refusal(db_->batch_write_item({.tables = {{"Music", {{kUnknown<BatchWrite::Kind>, key}}}}})),
            "One or more parameter values were invalid: A write of a batch is neither a "
            "put nor a delete");
  EXPECT_EQ(refusal(db_->transact_get_items(
                {.gets = {{.table_name = "Music", .key = key}}, .return_consumed_capacity = kWish})),
            capacity);
  PutItemRequest put{.table_name = "Music", .item = key};
  put.on_condition_failure = kUnknown<ReturnValuesOnConditionCheckFailure>;
  EXPECT_EQ(refusal(db_->transact_write_items({.actions = {put}})),
            not_in("transactItems.1.member.put.returnValuesOnConditionCheckFailure", "[ALL_OLD, NONE]"));
}

TEST_F(MemberChecks, Reads) {
  GetItemRequest get{.table_name = "Music", .key = item(R"({pk: "p", sk: 1})")};
  get.return_consumed_capacity = kUnknown<ReturnConsumedCapacity>;
  EXPECT_EQ(refusal(db_->get_item(get)), not_in("returnConsumedCapacity", "[INDEXES, TOTAL, NONE]"));
  const std::string selects = "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]";
  EXPECT_EQ(refusal(db_->scan({.table_name = "Music", .select = kUnknown<Select>})),
            not_in("select", selects));
  QueryRequest query{.table_name = "Music", .select = kUnknown<Select>};
  EXPECT_EQ(refusal(db_->query(query)), not_in("select", selects));
  query = {.table_name = "Music"};
  query.key_conditions = {{"pk", {kUnknown<ComparisonOperator>, {"p"}}}};
  EXPECT_EQ(refusal(db_->query(query)), not_in("keyConditions.pk.member.comparisonOperator", kComparisons));
  ScanRequest scan{.table_name = "Music"};
  scan.scan_filter = {{"pk", {kUnknown<ComparisonOperator>, {"p"}}}};
  EXPECT_EQ(refusal(db_->scan(scan)), not_in("scanFilter.pk.member.comparisonOperator", kComparisons));
}

}  // namespace
}  // namespace tavola::engine
