// TransactWriteItems and TransactGetItems, one request at a time, on both stores. Which faults refuse the whole request
// and which cancel it follows captures of AWS: github.com/paritysuite/dynamodb-conformance, tests/tier3.
#include "engine/write/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_tables.h"
#include "engine/test_transactions.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFailed = "ConditionalCheckFailed: The conditional request failed";

INSTANTIATE_TEST_SUITE_P(Engine, Transactions, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// ---- All or nothing ----

TEST_P(Transactions, AllFourActionsHappenInSeveralTables) {
  given("Music", R"({pk: "p", sk: 1, a: b"x", n: 1})");
  given("Music", R"({pk: "p", sk: 2, a: b"y"})");
  given("Plain", R"({pk: "known"})");
  expect_done({.actions = {put("Plain", R"({pk: "new", x: 1})", {"attribute_not_exists(pk)"}),
                           update("Music", R"({pk: "p", sk: 1})", "SET a = :a, n = n + :one",
                                  {"n = :one", R"({:one: 1, :a: b"z"})"}),
                           remove("Music", R"({pk: "p", sk: 2})", {"attribute_exists(a)"}),
                           check("Plain", R"({pk: "known"})", {"attribute_exists(pk)"})}});
  EXPECT_EQ(stored("Plain", R"({pk: "new"})"), item(R"({pk: "new", x: 1})"));
  EXPECT_EQ(stored("Plain", R"({pk: "known"})"), item(R"({pk: "known"})"));
  EXPECT_EQ(stored("Music", R"({pk: "p", sk: 1})"), item(R"({pk: "p", sk: 1, a: b"z", n: 2})"));
  EXPECT_EQ(stored("Music", R"({pk: "p", sk: 2})"), std::nullopt);
}

TEST_P(Transactions, NothingHappensWhicheverActionFails) {
  given("Music", R"({pk: "p", sk: 1, a: b"x", n: 1})");
  given("Plain", R"({pk: "known", n: 1})");
  const std::vector<TransactWrite> good{
      put("Plain", R"({pk: "new"})"), update("Music", R"({pk: "p", sk: 1})", "REMOVE a"),
      remove("Plain", R"({pk: "known"})"), put("Music", R"({pk: "q", sk: 1, a: b"x"})")};
  const std::vector<TransactWrite> bad{
      put("Music", R"({pk: "p", sk: 9})", {"attribute_exists(pk)"}),
      update("Music", R"({pk: "p", sk: 9})", "SET n = absent"),
      remove("Music", R"({pk: "p", sk: 9})", {"n = :n", "{:n: 1}"}),
      check("Music", R"({pk: "p", sk: 9})", {"n = :n", "{:n: 1}"}),
  };
  for (std::size_t at = 0; at <= good.size(); ++at) {
    for (const TransactWrite& failing : bad) {
      std::vector<TransactWrite> actions = good;
      actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(at), failing);
      std::vector<std::string> codes;
      const Error error = refused({.actions = actions, .client_request_token = "t"});
      ASSERT_NE(error.detail<TransactionCancellation>(), nullptr) << text_of(error);
      for (const auto& reason : error.detail<TransactionCancellation>()->reasons)
        codes.push_back(reason.code);
      EXPECT_NE(codes[at], "None");
      codes.erase(codes.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_THAT(codes, testing::Each("None"));
    }
  }
  expect_done({.actions = good, .client_request_token = "t"});
}

TEST_P(Transactions, AHundredActions) {
  std::vector<TransactWrite> actions;
  for (int i = 0; i < 100; ++i) {
    actions.emplace_back(PutItemRequest{
        .table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", i}, {"a", Binary{std::to_string(i)}}})});
  }
  expect_done({.actions = actions});
  EXPECT_EQ(db_.scan_all("Music", "byA").size(), 100U);
}

// ---- Reasons ----

TEST_P(Transactions, ReasonsStandInTheOrderOfTheActions) {
  given("Plain", R"({pk: "a", n: 1})");
  given("Plain", R"({pk: "b", n: 2})");
  PutItemRequest with_item = put("Plain", R"({pk: "a"})", {"n = :n", "{:n: 5}"});
  with_item.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  ConditionCheck of_nothing = check("Plain", R"({pk: "nobody"})", {"attribute_exists(pk)"});
  of_nothing.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  const Error error = refused({.actions = {with_item, remove("Plain", R"({pk: "c"})"),
                                           remove("Plain", R"({pk: "b"})", {"n = :n", "{:n: 5}"}), of_nothing,
                                           update("Plain", R"({pk: "d"})", "SET x = y")}});
  EXPECT_EQ(
      text_of(error),
      "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific "
      "reasons [ConditionalCheckFailed, None, ConditionalCheckFailed, ConditionalCheckFailed, "
      "ValidationError]");
  EXPECT_THAT(
      reasons_of(error),
      ElementsAre(kFailed, "None", kFailed, kFailed,
                  "ValidationError: The provided expression refers to an attribute that does not exist in "
                  "the item"));
  const auto& cancelled = error.detail<TransactionCancellation>()->reasons;
  EXPECT_EQ(cancelled[0].item, item(R"({pk: "a", n: 1})"));
  EXPECT_EQ(cancelled[2].item, std::nullopt) << "it was not asked for";
  EXPECT_EQ(cancelled[3].item, std::nullopt) << "there is none";
}

TEST_P(Transactions, AKeyThatDoesNotFitCancels) {
  const std::string mismatch = "ValidationError: The provided key element does not match the schema";
  const auto invalid = [](const std::string& what) {
    return "ValidationError: One or more parameter values were invalid: " + what;
  };
  EXPECT_THAT(reasons({put("Plain", "{pk: 5}")}),
              ElementsAre(invalid("Type mismatch for key pk expected: S actual: N")));
  EXPECT_THAT(reasons({put("Plain", R"({pk: ["x"]})")}),
              ElementsAre(invalid("Type mismatch for key pk expected: S actual: L")));
  EXPECT_THAT(reasons({put("Plain", "{x: 5}")}), ElementsAre(invalid("Missing the key pk in the item")));
  EXPECT_THAT(reasons({update("Plain", "{pk: 5}", "REMOVE x")}), ElementsAre(mismatch));
  EXPECT_THAT(reasons({remove("Plain", R"({pk: ["x"]})")}), ElementsAre(mismatch));
  EXPECT_THAT(reasons({remove("Plain", R"({pk: "a", x: 1})")}), ElementsAre(mismatch));
  EXPECT_THAT(reasons({check("Plain", "{}", {"attribute_exists(pk)"})}), ElementsAre(mismatch));
  EXPECT_THAT(reasons({update("Plain", R"({pk: "a"})", "SET pk = :p", {"", R"({:p: "b"})"})}),
              ElementsAre(invalid("Cannot update attribute pk. This attribute is part of the key")));
}

TEST_P(Transactions, AnIndexKeyOfAnotherTypeCancels) {
  given("Music", R"({pk: "p", sk: 2, x: "words"})");
  const std::string mismatch =
      "ValidationError: One or more parameter values were invalid: Type mismatch for Index Key a Expected: B "
      "Actual: S "
      "IndexName: localA";
  EXPECT_THAT(reasons({put("Music", R"({pk: "p", sk: 1, a: "x"})")}), ElementsAre(mismatch));
  EXPECT_THAT(reasons({update("Music", R"({pk: "p", sk: 1})", "SET a = :a", {"", R"({:a: "x"})"})}),
              ElementsAre(mismatch));
  EXPECT_THAT(
      reasons({update("Music", R"({pk: "p", sk: 2})", "SET a = x")}),
      ElementsAre("ValidationError: The update expression attempted to update the secondary index key to "
                  "unsupported type"));
}

// As observed on AWS: actions are checked one after the other, up to the first fault.
TEST_P(Transactions, TheFirstKeyThatDoesNotFitIsTheOnlyReason) {
  EXPECT_THAT(
      reasons({put("Plain", R"({pk: "new"})", {"attribute_exists(pk)"}), remove("Plain", "{pk: 7}"),
               remove("Plain", "{pk: 8}")}),
      ElementsAre("None", "ValidationError: The provided key element does not match the schema", "None"));
  EXPECT_THAT(
      reasons({put("Plain", R"({pk: "x"})"), put("Plain", R"({pk: "x"})"), remove("Plain", "{pk: 7}")}),
      ElementsAre("None", "None", testing::StartsWith("ValidationError")))
      << "keys come before duplicates";
}

// ---- Refusals of the whole request ----

TEST_P(Transactions, AnEmptyOrOverlongKeyRefusesTheRequest) {
  const std::string empty =
      "ValidationException: One or more parameter values are not valid. The AttributeValue for a key "
      "attribute cannot "
      "contain an empty string value. Key: pk";
  EXPECT_EQ(refusal({put("Plain", R"({pk: ""})")}), empty);
  EXPECT_EQ(refusal({remove("Plain", R"({pk: "fine"})"), remove("Plain", R"({pk: ""})")}), empty);
  EXPECT_EQ(refusal({update("Plain", R"({pk: ""})", "REMOVE x")}), empty);
  EXPECT_EQ(refusal({check("Plain", R"({pk: ""})", {"attribute_exists(pk)"})}), empty);
  EXPECT_EQ(refusal({remove("Plain", R"({pk: "x"*2049})")}),
            "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded "
            "the maximum "
            "size limit of2048 bytes");
  EXPECT_EQ(
      refusal({put("Music", R"({pk: "p", sk: 1, a: b""})")}),
      "ValidationException: One or more parameter values are not valid. A value specified for a secondary "
      "index "
      "key is not supported. The AttributeValue for a key attribute cannot contain an empty binary value. "
      "IndexName: localA, IndexKey: a");
  EXPECT_EQ(
      refusal({put("Plain", R"({pk: "x"})", {"attribute_exists(pk)"}),
               update("Music", R"({pk: "p", sk: 1})", "SET a = :a", {"", R"({:a: b""})"})}),
      "ValidationException: One or more parameter values are not valid. The update expression attempted to "
      "update a secondary index key to a value that is not supported. The AttributeValue for a key attribute "
      "cannot contain an empty binary value.");
}

TEST_P(Transactions, ExpressionsAreReadBeforeAnyTableIs) {
  const std::string syntax =
      R"(ValidationException: Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "(")";
  const std::string unused =
      "ValidationException: Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}";
  const ConditionCheck malformed = check("Plain", R"({pk: "c"})", {"attribute_exists("});
  const ConditionCheck unused_value =
      check("Plain", R"({pk: "c"})", {"attribute_exists(pk)", R"({:v: "x"})"});
  EXPECT_EQ(refusal({put("Nowhere", R"({pk: "a"})"), malformed}), syntax);
  EXPECT_EQ(refusal({put("Nowhere", R"({pk: "a"})"), unused_value}), unused);
  EXPECT_EQ(refusal({put("Plain", R"({pk: "c"})"), unused_value}), unused) << "before duplicates";
  EXPECT_EQ(refusal({malformed, unused_value}), syntax) << "the first action's fault";
  EXPECT_EQ(refusal({unused_value, malformed}), unused);
  EXPECT_EQ(refusal({check("Plain", R"({pk: "c"})", {""})}),
            "ValidationException: Invalid ConditionExpression: The expression can not be empty;");
}

TEST_P(Transactions, OtherRefusals) {
  EXPECT_EQ(
      refusal({}),
      "ValidationException: 1 validation error detected: Value '[]' at 'transactItems' failed to satisfy "
      "constraint: Member must have length greater than or equal to 1");
  std::vector<TransactWrite> many;
  for (int i = 0; i < 101; ++i) many.emplace_back(remove("Plain", "{pk: \"" + std::to_string(i) + "\"}"));
  EXPECT_EQ(refusal(many),
            "ValidationException: 1 validation error detected: Value at 'TransactItems' failed to satisfy "
            "constraint: "
            "Member must have length less than or equal to 100");
  const std::string multiple =
      "ValidationException: Transaction request cannot include multiple operations on one item";
  EXPECT_EQ(refusal({put("Plain", R"({pk: "a", x: 1})"), remove("Plain", R"({pk: "a"})")}), multiple);
  EXPECT_EQ(refusal({check("Music", R"({pk: "a", sk: 1})", {"attribute_exists(pk)"}),
                     update("Music", R"({sk: 1.0, pk: "a"})", "REMOVE x")}),
            multiple);
  EXPECT_EQ(refusal({put("Plain", R"({pk: "a"})"), put("Nowhere", R"({pk: "a"})")}),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(text_of(refused(
                {.actions = {put("Plain", R"({pk: "a"})")}, .client_request_token = std::string(37, 'x')})),
            "ValidationException: 1 validation error detected: Value '" + std::string(37, 'x') +
                "' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than "
                "or equal to "
                "36");
}

TEST_P(Transactions, TheOlderParametersAreNoPartOfATransaction) {
  PutItemRequest expecting = put("Plain", R"({pk: "a"})");
  expecting.expected.emplace()["x"].exists = false;
  UpdateItemRequest updating = update("Plain", R"({pk: "a"})", "");
  updating.attribute_updates.emplace()["x"].value = 1;
  DeleteItemRequest returning = remove("Plain", R"({pk: "a"})");
  returning.return_values = ReturnValues::AllOld;
  for (const TransactWrite& action :
       {TransactWrite(expecting), TransactWrite(updating), TransactWrite(returning)}) {
    EXPECT_EQ(
        refusal({action}),
        "ValidationException: One or more parameter values were invalid: An action of a transaction takes "
        "expressions only, and returns no values");
  }
}

TEST_P(Transactions, SizesOfItems) {
  const std::string at_limit = R"({pk: "a", x: "y"*409596})";
  const std::string over_limit = R"({pk: "a", x: "y"*409597})";
  EXPECT_EQ(refusal({put("Plain", over_limit)}),
            "ValidationException: Item size has exceeded the maximum allowed size");
  EXPECT_THAT(reasons({update("Plain", R"({pk: "a"})", "SET x = :x", {"", R"({:x: "y"*409597})"})}),
              ElementsAre("ValidationError: Item size to update has exceeded the maximum allowed size"));
  expect_done({.actions = {put("Plain", at_limit)}});
  expect_done({.actions = {update("Plain", R"({pk: "b"})", "SET x = :x", {"", R"({:x: "y"*409596})"})}});
}

// The limit of 4 MB applies to the request: scylladb test/alternator/test_transact.py, run against AWS.
TEST_P(Transactions, SizeOfTheTransaction) {
  const auto puts = [](int count) {
    std::vector<TransactWrite> actions;
    for (int i = 0; i < count; ++i) {
      actions.emplace_back(
          PutItemRequest{.table_name = "Plain",
                         .item = *pack({{"pk", std::to_string(i)}, {"x", std::string(400'000, 'x')}})});
    }
    return actions;
  };
  EXPECT_EQ(refusal(puts(11)), "ValidationException: Transaction payload size cannot exceed 4 MB");
  expect_done({.actions = puts(10)});
  given("Plain", R"({pk: "10", x: "x"*400000})");
  std::vector<TransactWrite> deletes;
  for (int i = 0; i < 11; ++i) deletes.emplace_back(remove("Plain", "{pk: \"" + std::to_string(i) + "\"}"));
  expect_done({.actions = deletes});
  EXPECT_THAT(db_.scan_all("Plain"), IsEmpty());
}

TEST_P(Transactions, ACollectionHasAnEnd) {
  given("Music", R"({pk: "full", sk: 1, a: b"x", x: "some text"})");
  const std::string key = db_.dump().lower_bound("\x04")->first;  // the only collection
  const std::array almost{limits::kItemCollectionBytesMax - 300};
  const std::string keys[] = {key};
  ASSERT_TRUE(db_.store().transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::add(key, almost)}, {}};
  }));
  const std::string large = R"({pk: "full", sk: 2, a: b"x", x: "y"*400})";
  const Dump before = db_.dump();
  const auto put_one = db_->put_item({.table_name = "Music", .item = item(large)});
  ASSERT_FALSE(put_one);
  EXPECT_EQ(text_of(put_one.error()), "ItemCollectionSizeLimitExceededException: Collection size exceeded.");
  const auto batch = db_->batch_write_item({.tables = {{"Music", {{BatchWrite::Kind::Put, item(large)}}}}});
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code(), ErrorCode::ItemCollectionSizeLimitExceeded);
  EXPECT_THAT(reasons({put("Plain", R"({pk: "a"})"), put("Music", large)}),
              ElementsAre("None", "ItemCollectionSizeLimitExceeded: Collection size exceeded."));
  EXPECT_TRUE(db_.dump() == before);

  EXPECT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "other", sk: 2, x: "y"*400})")}));
  EXPECT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "full", sk: 1})")})) << "it shrinks";
  EXPECT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "full", sk: 1})")}));
  db_.expect_consistent("Music");
}

// ---- Capacity and metrics ----

TEST_P(Transactions, WritesCostTwiceTheUnits) {
  given("Plain", R"({pk: "large", x: "x"*1500})");
  const auto done = db_->transact_write_items(
      {.actions = {put("Plain", R"({pk: "a"})", {"attribute_not_exists(pk)"}),
                   check("Plain", R"({pk: "large"})", {"attribute_exists(pk)"}),
                   check("Plain", R"({pk: "nobody"})", {"attribute_not_exists(pk)"}),
                   put("Music", R"({pk: "p", sk: 1, a: b"x"})"), remove("Music", R"({pk: "p", sk: 2})")},
       .return_consumed_capacity = ReturnConsumedCapacity::Indexes});
  ASSERT_TRUE(done) << text_of(done.error());
  ASSERT_EQ(done->consumed_capacity.size(), 2U);
  const ConsumedCapacity& plain = done->consumed_capacity[0];
  EXPECT_EQ(plain.table_name, "Plain");
  EXPECT_EQ(plain.units, 2 * (1 + 2 + 1)) << "a check costs what a write of the item would";
  EXPECT_EQ(plain.write_units, plain.units);
  EXPECT_EQ(plain.read_units, std::nullopt);
  const ConsumedCapacity& music = done->consumed_capacity[1];
  EXPECT_EQ(music.table_units, 2 * (1 + 1));
  EXPECT_THAT(music.local_index_units, ElementsAre(std::pair("localA", 2.0)));
  EXPECT_THAT(music.global_index_units, ElementsAre(std::pair("byA", 2.0)));
  EXPECT_EQ(music.write_units, 8);
  const auto silent = db_->transact_write_items({.actions = {put("Plain", R"({pk: "a"})")}});
  ASSERT_TRUE(silent);
  EXPECT_THAT(silent->consumed_capacity, IsEmpty());
}

TEST_P(Transactions, MetricsOfTheCollectionsWritten) {
  const auto done = db_->transact_write_items(
      {.actions = {put("Music", R"({pk: "p", sk: 1})"), put("Music", R"({pk: "p", sk: 2})"),
                   check("Music", R"({pk: "q", sk: 1})", {"attribute_not_exists(pk)"}),
                   put("Plain", R"({pk: "a"})")},
       .return_item_collection_metrics = ReturnItemCollectionMetrics::Size});
  ASSERT_TRUE(done) << text_of(done.error());
  ASSERT_EQ(done->item_collection_metrics.size(), 1U);
  EXPECT_EQ(done->item_collection_metrics[0].table_name, "Music");
  ASSERT_EQ(done->item_collection_metrics[0].metrics.size(), 1U) << "each collection once, checks none";
  EXPECT_EQ(done->item_collection_metrics[0].metrics[0].item_collection_key, item(R"({pk: "p"})"));
}

// ---- TransactGetItems ----

TEST_P(Transactions, GetsStandInTheOrderOfTheRequest) {
  given("Music", R"({pk: "p", sk: 1, x: 1, y: {z: 2}})");
  given("Plain", R"({pk: "a", x: 2})");
  const auto got = db_->transact_get_items(
      {.gets = {{.table_name = "Plain", .key = item(R"({pk: "a"})")},
                {.table_name = "Plain", .key = item(R"({pk: "nobody"})")},
                {.table_name = "Music",
                 .key = item(R"({pk: "p", sk: 1})"),
                 .projection_expression = "#y.z, pk",
                 .names = {{"#y", "y"}}},
                {.table_name = "Music", .key = item(R"({pk: "p", sk: 2})"), .projection_expression = "x"}}});
  ASSERT_TRUE(got) << text_of(got.error());
  EXPECT_THAT(got->items, ElementsAre(item(R"({pk: "a", x: 2})"), std::nullopt,
                                      item(R"({pk: "p", y: {z: 2}})"), std::nullopt));
  EXPECT_THAT(got->consumed_capacity, IsEmpty());
}

// Unlike GetItem, which returns an empty item.
TEST_P(Transactions, AProjectionThatLeavesNothingLeavesTheItemOut) {
  given("Plain", R"({pk: "a", x: 2})");
  const GetItemRequest get{
      .table_name = "Plain", .key = item(R"({pk: "a"})"), .projection_expression = "absent"};
  EXPECT_THAT(db_->transact_get_items({.gets = {get}})->items, ElementsAre(std::nullopt));
  EXPECT_EQ(db_->get_item(get)->item, PackedItem());
}

TEST_P(Transactions, GetsCostTwiceTheUnits) {
  given("Plain", R"({pk: "a", x: "x"*5000})");
  const auto got = db_->transact_get_items({.gets = {{.table_name = "Plain", .key = item(R"({pk: "a"})")},
                                                     {.table_name = "Plain", .key = item(R"({pk: "b"})")}},
                                            .return_consumed_capacity = ReturnConsumedCapacity::Indexes});
  ASSERT_TRUE(got);
  ASSERT_EQ(got->consumed_capacity.size(), 1U);
  EXPECT_EQ(got->consumed_capacity[0].units, 2 * (2 + 1)) << "nothing costs as one item";
  EXPECT_EQ(got->consumed_capacity[0].table_units, 6);
  EXPECT_EQ(got->consumed_capacity[0].read_units, 6);
  EXPECT_EQ(got->consumed_capacity[0].write_units, std::nullopt);
}

TEST_P(Transactions, GetsThatAreRefused) {
  const auto error = [&](std::vector<GetItemRequest> gets) {
    const auto got = db_->transact_get_items({.gets = std::move(gets)});
    return got ? Error::internal("it succeeded") : got.error();
  };
  const GetItemRequest good{.table_name = "Plain", .key = item(R"({pk: "a"})")};
  EXPECT_EQ(
      text_of(error({})),
      "ValidationException: 1 validation error detected: Value '[]' at 'transactItems' failed to satisfy "
      "constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(text_of(error(std::vector(101, good))),
            "ValidationException: 1 validation error detected: Value at 'TransactItems' failed to satisfy "
            "constraint: "
            "Member must have length less than or equal to 100");
  EXPECT_EQ(text_of(error({good, good})),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(text_of(error({good, {.table_name = "Nowhere", .key = item(R"({pk: "a"})")}})),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(text_of(error({{.table_name = "Plain", .key = item(R"({pk: ""})")}})),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key "
            "attribute "
            "cannot contain an empty string value. Key: pk");
  EXPECT_EQ(text_of(error({{.table_name = "Nowhere", .key = item("{}"), .projection_expression = "!!!"}})),
            R"(ValidationException: Invalid ProjectionExpression: Syntax error; token: "!", near: "!!")");
  EXPECT_THAT(reasons_of(error({good, {.table_name = "Plain", .key = item("{}")}})),
              ElementsAre("None", "ValidationError: The provided key element does not match the schema"));
  EXPECT_THAT(
      reasons_of(
          error({{.table_name = "Plain", .key = item(R"({pk: "a"})"), .projection_expression = "pk.x"}})),
      ElementsAre("ValidationError: Key attributes must be scalars; list random access '[]' and map lookup "
                  "'.' are not allowed: Key: pk"));
}

TEST_P(Transactions, GetsOfMoreThan4MBAreRefused) {
  TransactGetItemsRequest request;
  for (int i = 0; i < 11; ++i) {
    const std::string pk = std::to_string(i);
    given("Plain", "{pk: \"" + pk + "\", x: \"x\"*400000}");
    request.gets.push_back({.table_name = "Plain", .key = *pack({{"pk", pk}})});
  }
  const auto got = db_->transact_get_items(request);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), ErrorCode::Validation);
  request.gets.pop_back();
  EXPECT_TRUE(db_->transact_get_items(request));
}

}  // namespace
}  // namespace tavola::engine
