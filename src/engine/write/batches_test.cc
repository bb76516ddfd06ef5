// BatchGetItem and BatchWriteItem on both stores. The words follow captures of AWS
// (github.com/paritysuite/dynamodb-conformance, tests/tier3) and dynalite's tests.
#include "engine/write/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMismatch = "ValidationException: The provided key element does not match the schema";
constexpr const char* kDuplicates = "ValidationException: Provided list of item keys contains duplicates";

BatchWrite put_of(std::string_view notation) { return {BatchWrite::Kind::Put, item(notation)}; }
BatchWrite delete_of(std::string_view notation) { return {BatchWrite::Kind::Delete, item(notation)}; }

class Batches : public testing::TestWithParam<StoreKind> {
 protected:
  Batches() : db_(GetParam()) {
    EXPECT_TRUE(db_->create_table(good_table("Music")));
    EXPECT_TRUE(db_->create_table(simple_table("Plain")));
  }

  void write(std::vector<TableWrites> tables) {
    const auto written = db_->batch_write_item({.tables = std::move(tables)});
    EXPECT_TRUE(written) << text_of(written.error());
    db_.expect_consistent("Music");
    db_.expect_consistent("Plain");
  }
  std::string write_refusal(std::vector<TableWrites> tables) {
    const Dump before = db_.dump();
    const auto written = db_->batch_write_item({.tables = std::move(tables)});
    EXPECT_TRUE(db_.dump() == before) << "a batch that failed left something behind";
    return written ? "it succeeded" : text_of(written.error());
  }
  std::string get_refusal(std::vector<KeysToGet> tables) {
    const auto got = db_->batch_get_item({.tables = std::move(tables)});
    return got ? "it succeeded" : text_of(got.error());
  }

  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Batches, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// ---- BatchWriteItem ----

TEST_P(Batches, PutsAndDeletesInSeveralTables) {
  write({{"Music", {put_of(R"({pk: "p", sk: 1, a: b"x"})"), put_of(R"({pk: "p", sk: 2})")}},
         {"Plain", {put_of(R"({pk: "a", x: 1})")}}});
  write({{"Plain", {delete_of(R"({pk: "a"})"), put_of(R"({pk: "b"})"), delete_of(R"({pk: "nobody"})")}},
         {"Music", {delete_of(R"({pk: "p", sk: 1})"), put_of(R"({pk: "p", sk: 2, a: b"y"})")}}});
  EXPECT_THAT(db_.scan_all("Plain"), ElementsAre(item(R"({pk: "b"})")));
  EXPECT_THAT(db_.scan_all("Music"), ElementsAre(item(R"({pk: "p", sk: 2, a: b"y"})")));
}

TEST_P(Batches, TwentyFiveWritesOverAllTables) {
  const auto puts = [](int count) {
    std::vector<BatchWrite> writes;
    for (int i = 0; i < count; ++i)
      writes.push_back({BatchWrite::Kind::Put, *pack({{"pk", std::to_string(i)}})});
    return writes;
  };
  EXPECT_EQ(write_refusal({}),
            "ValidationException: The requestItems parameter is required for BatchWriteItem");
  EXPECT_EQ(write_refusal({{"Plain", {}}}),
            "ValidationException: 1 validation error detected: Value at 'RequestItems.Plain.member' failed "
            "to satisfy "
            "constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(write_refusal({{"Plain", puts(26)}}),
            "ValidationException: 1 validation error detected: Value at 'RequestItems.Plain.member' failed "
            "to satisfy "
            "constraint: Member must have length less than or equal to 25");
  EXPECT_EQ(write_refusal({{"Plain", puts(25)}, {"Music", {put_of(R"({pk: "p", sk: 1})")}}}),
            "ValidationException: Too many items requested for the BatchWriteItem call");
  write({{"Plain", puts(24)}, {"Music", {put_of(R"({pk: "p", sk: 1})")}}});
}

TEST_P(Batches, WritesThatAreRefused) {
  EXPECT_EQ(write_refusal({{"Plain", {put_of(R"({pk: "a"})"), delete_of(R"({pk: "a"})")}}}), kDuplicates);
  EXPECT_EQ(
      write_refusal({{"Music", {put_of(R"({pk: "a", sk: 1})"), put_of(R"({pk: "a", sk: 1.0, x: 2})")}}}),
      kDuplicates);
  EXPECT_EQ(write_refusal({{"Nowhere", {put_of(R"({pk: "a"})")}}}),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(write_refusal({{"Plain", {put_of("{pk: 5}")}}}), kMismatch) << "unlike PutItem's words";
  EXPECT_EQ(write_refusal({{"Plain", {put_of("{x: 5}")}}}), kMismatch);
  EXPECT_EQ(write_refusal({{"Plain", {put_of(R"({pk: "fine"})"), delete_of(R"({x: "a"})")}}}), kMismatch);
  EXPECT_EQ(write_refusal({{"Plain", {put_of(R"({pk: ""})")}}}),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key "
            "attribute "
            "cannot contain an empty string value. Key: pk");
  EXPECT_EQ(write_refusal({{"Music", {put_of(R"({pk: "p", sk: 1, a: "x"})")}}}),
            "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key a "
            "Expected: B "
            "Actual: S IndexName: localA");
  EXPECT_EQ(write_refusal({{"Nowhere", {put_of(R"({pk: "a", x: "y"*409600})")}}}),
            "ValidationException: Item size has exceeded the maximum allowed size")
      << "seen before the table is looked for";
}

TEST_P(Batches, WritesCostWhatTheirItemsCost) {
  write({{"Plain", {put_of(R"({pk: "large", x: "x"*1500})")}}});
  const auto written = db_->batch_write_item(
      {.tables = {{"Plain",
                   {put_of(R"({pk: "a"})"), delete_of(R"({pk: "large"})"), delete_of(R"({pk: "b"})")}},
                  {"Music", {put_of(R"({pk: "p", sk: 1, a: b"x"})"), put_of(R"({pk: "p", sk: 2})")}}},
       .return_consumed_capacity = ReturnConsumedCapacity::Indexes,
       .return_item_collection_metrics = ReturnItemCollectionMetrics::Size});
  ASSERT_TRUE(written) << text_of(written.error());
  ASSERT_EQ(written->consumed_capacity.size(), 2U);
  EXPECT_EQ(written->consumed_capacity[0].table_name, "Plain");
  EXPECT_EQ(written->consumed_capacity[0].units, 1 + 2 + 1);
  EXPECT_EQ(written->consumed_capacity[0].write_units, std::nullopt) << "for transactions only";
  EXPECT_EQ(written->consumed_capacity[1].units, 2 + 1 + 1);
  EXPECT_EQ(written->consumed_capacity[1].table_units, 2);
  ASSERT_EQ(written->item_collection_metrics.size(), 1U);
  EXPECT_EQ(written->item_collection_metrics[0].table_name, "Music");
  EXPECT_EQ(written->item_collection_metrics[0].metrics.size(), 1U) << "one collection";
}

// ---- BatchGetItem ----

TEST_P(Batches, GetsFromSeveralTables) {
  write({{"Music", {put_of(R"({pk: "p", sk: 1, x: 1, y: 2})"), put_of(R"({pk: "p", sk: 2})")}},
         {"Plain", {put_of(R"({pk: "a", x: 3})")}}});
  const auto got = db_->batch_get_item(
      {.tables = {
           {.table_name = "Music",
            .keys = {item(R"({pk: "p", sk: 2})"), item(R"({pk: "p", sk: 1})"), item(R"({pk: "q", sk: 1})")},
            .projection_expression = "#one, sk",
            .names = {{"#one", "x"}}},
           {.table_name = "Plain", .keys = {item(R"({pk: "nobody"})"), item(R"({pk: "a"})")}}}});
  ASSERT_TRUE(got) << text_of(got.error());
  ASSERT_EQ(got->tables.size(), 2U);
  EXPECT_EQ(got->tables[0].table_name, "Music");
  EXPECT_THAT(got->tables[0].items, ElementsAre(item("{sk: 2}"), item("{sk: 1, x: 1}")));
  EXPECT_EQ(got->tables[1].table_name, "Plain");
  EXPECT_THAT(got->tables[1].items, ElementsAre(item(R"({pk: "a", x: 3})")));
  EXPECT_THAT(got->unprocessed_keys, IsEmpty());
}

TEST_P(Batches, AttributesToGet) {
  write({{"Plain", {put_of(R"({pk: "a", x: 3, y: 4})")}}});
  const auto got = db_->batch_get_item(
      {.tables = {
           {.table_name = "Plain", .keys = {item(R"({pk: "a"})")}, .attributes_to_get = {{"y", "z"}}}}});
  ASSERT_TRUE(got) << text_of(got.error());
  EXPECT_THAT(got->tables[0].items, ElementsAre(item("{y: 4}")));
}

TEST_P(Batches, AHundredKeysOverAllTables) {
  const auto keys = [](int count) {
    std::vector<PackedItem> all;
    for (int i = 0; i < count; ++i) all.push_back(*pack({{"pk", std::to_string(i)}}));
    return all;
  };
  EXPECT_EQ(get_refusal({}),
            "ValidationException: 1 validation error detected: Value at 'RequestItems' failed to satisfy "
            "constraint: "
            "Member must have length greater than or equal to 1");
  EXPECT_EQ(
      get_refusal({{.table_name = "Plain"}}),
      "ValidationException: 1 validation error detected: Value at 'RequestItems.Plain.member.Keys' failed to "
      "satisfy constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(
      get_refusal({{.table_name = "Plain", .keys = keys(101)}}),
      "ValidationException: 1 validation error detected: Value at 'RequestItems.Plain.member.Keys' failed to "
      "satisfy constraint: Member must have length less than or equal to 100");
  EXPECT_EQ(get_refusal({{.table_name = "Plain", .keys = keys(100)},
                         {.table_name = "Music", .keys = {item(R"({pk: "p", sk: 1})")}}}),
            "ValidationException: Too many items requested for the BatchGetItem call");
  EXPECT_TRUE(db_->batch_get_item({.tables = {{.table_name = "Plain", .keys = keys(100)}}}));
}

TEST_P(Batches, GetsThatAreRefused) {
  const PackedItem a = item(R"({pk: "a"})");
  EXPECT_EQ(get_refusal({{.table_name = "Plain", .keys = {a, item(R"({pk: "b"})"), a}}}), kDuplicates);
  EXPECT_EQ(get_refusal({{.table_name = "Nowhere", .keys = {a, a}}}), kDuplicates) << "before the table";
  EXPECT_EQ(get_refusal({{.table_name = "Nowhere", .keys = {a}}}),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(get_refusal({{.table_name = "Plain", .keys = {a, item(R"({pk: "b", x: 1})")}}}), kMismatch);
  EXPECT_EQ(get_refusal({{.table_name = "Plain", .keys = {item(R"({pk: ""})")}}}),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key "
            "attribute "
            "cannot contain an empty string value. Key: pk");
  EXPECT_EQ(
      get_refusal({{.table_name = "Nowhere", .keys = {a}, .projection_expression = "x, x"}}),
      "ValidationException: Invalid ProjectionExpression: Two document paths overlap with each other; must "
      "remove or rewrite one of these paths; path one: [x], path two: [x]");
  const std::string mixed =
      "ValidationException: Can not use both expression and non-expression parameters in the same request: "
      "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}";
  EXPECT_EQ(
      get_refusal(
          {{.table_name = "Plain", .keys = {a}, .projection_expression = "x", .attributes_to_get = {{"x"}}}}),
      mixed);
  EXPECT_EQ(
      get_refusal(
          {{.table_name = "Plain", .keys = {a}, .projection_expression = "x"},
           {.table_name = "Music", .keys = {item(R"({pk: "p", sk: 1})")}, .attributes_to_get = {{"x"}}}}),
      mixed)
      << "across tables too";
}

TEST_P(Batches, GetsCostWhatTheirItemsCost) {
  write({{"Plain", {put_of(R"({pk: "a", x: "x"*5000})")}}});
  const std::vector<PackedItem> keys{item(R"({pk: "a"})"), item(R"({pk: "nobody"})")};
  for (const bool consistent : {false, true}) {
    const auto got =
        db_->batch_get_item({.tables = {{.table_name = "Plain", .keys = keys, .consistent_read = consistent}},
                             .return_consumed_capacity = ReturnConsumedCapacity::Total});
    ASSERT_TRUE(got) << text_of(got.error());
    ASSERT_EQ(got->consumed_capacity.size(), 1U);
    EXPECT_EQ(got->consumed_capacity[0].units, consistent ? 3 : 1.5);
  }
}

// 16 MB hold 40 items of 400 KB: the next request returns the others, with all settings kept.
TEST_P(Batches, WhatDoesNotFit16MBIsLeftForTheNextRequest) {
  KeysToGet all{
      .table_name = "Plain", .consistent_read = true, .projection_expression = "#p", .names = {{"#p", "pk"}}};
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    const std::string pk = std::to_string(i);
    ASSERT_TRUE(db_->put_item(
        {.table_name = "Plain", .item = *pack({{"pk", pk}, {"x", std::string(409'000, 'x')}})}));
    all.keys.push_back(*pack({{"pk", pk}}));
    expected.push_back(all.keys.back().bytes());
  }
  ASSERT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 1})")}));
  const KeysToGet small{.table_name = "Music", .keys = {item(R"({pk: "p", sk: 1})")}};

  const auto first = db_->batch_get_item(
      {.tables = {all, small}, .return_consumed_capacity = ReturnConsumedCapacity::Total});
  ASSERT_TRUE(first) << text_of(first.error());
  ASSERT_EQ(first->unprocessed_keys.size(), 2U);
  const KeysToGet& left = first->unprocessed_keys[0];
  EXPECT_EQ(first->tables[0].items.size(), 41U) << "409,000 bytes each";
  EXPECT_EQ(left.keys.size(), 9U);
  EXPECT_EQ(left.projection_expression, "#p");
  EXPECT_EQ(left.names, all.names);
  EXPECT_TRUE(left.consistent_read);
  EXPECT_EQ(first->unprocessed_keys[1].keys, small.keys) << "nothing follows what was left";
  EXPECT_EQ(first->consumed_capacity[0].units, 41 * 100) << "what was left costs nothing yet";

  const auto second = db_->batch_get_item({.tables = first->unprocessed_keys});
  ASSERT_TRUE(second) << text_of(second.error());
  EXPECT_THAT(second->unprocessed_keys, IsEmpty());
  std::vector<std::string> got;
  for (const auto* response : {&*first, &*second}) {
    for (const PackedItem& one : response->tables[0].items) got.push_back(one.bytes());
  }
  EXPECT_EQ(got, expected);
  EXPECT_THAT(second->tables[1].items, ElementsAre(item(R"({pk: "p", sk: 1})")));
}

}  // namespace
}  // namespace tavola::engine
