// The token of a transaction: a repeated request happens once, for ten minutes, also across a restart.
#include "engine/records/request_token.h"

#include <gtest/gtest.h>

#include "engine/test_transactions.h"
#include "engine/write/transactions.h"

namespace tavola::engine {
namespace {

class Tokens : public Transactions {
 protected:
  static TransactWriteItemsRequest add_one(std::string token = "token") {
    return {.actions = {update("Plain", R"({pk: "counter"})", "ADD n :one", {"", "{:one: 1}"})},
            .client_request_token = std::move(token)};
  }
  Value counter() { return stored("Plain", R"({pk: "counter"})").value_or(item("{n: 0}")).unpack().at("n"); }
};

INSTANTIATE_TEST_SUITE_P(Engine, Tokens, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Tokens, TheSameRequestHappensOnce) {
  expect_done(add_one());
  const Dump once = db_.dump();
  expect_done(add_one());
  EXPECT_TRUE(db_.dump() == once) << "a replay writes nothing";
  EXPECT_EQ(counter(), Value(1));
  expect_done(add_one("another"));
  expect_done(add_one(""));
  expect_done(add_one(""));
  EXPECT_EQ(counter(), Value(4));
}

TEST_P(Tokens, ARequestThatWouldFailNowIsStillDone) {
  const TransactWriteItemsRequest create{
      .actions = {put("Plain", R"({pk: "a"})", {"attribute_not_exists(pk)"})},
      .client_request_token = "token"};
  expect_done(create);
  expect_done(create);
  ASSERT_TRUE(db_->delete_item({.table_name = "Plain", .key = item(R"({pk: "a"})")}));
  expect_done(create);
  EXPECT_EQ(stored("Plain", R"({pk: "a"})"), std::nullopt);
}

TEST_P(Tokens, AnotherRequestIsRefused) {
  expect_done(add_one());
  const auto mismatch = [&](TransactWriteItemsRequest request) {
    request.client_request_token = "token";
    return refused(request).code() == ErrorCode::IdempotentParameterMismatch;
  };
  const std::vector<TransactWrite> same = add_one().actions;
  EXPECT_TRUE(
      mismatch({.actions = {update("Plain", R"({pk: "counter"})", "ADD n :one", {"", "{:one: 2}"})}}));
  EXPECT_TRUE(mismatch({.actions = {update("Plain", R"({pk: "other"})", "ADD n :one", {"", "{:one: 1}"})}}));
  EXPECT_TRUE(mismatch({.actions = {same[0], put("Plain", R"({pk: "b"})")}}));
  EXPECT_TRUE(mismatch({.actions = {put("Plain", R"({pk: "counter"})")}}));
  // The requested contents of the response are not part of the change.
  TransactWriteItemsRequest asking = add_one();
  asking.return_consumed_capacity = ReturnConsumedCapacity::Total;
  expect_done(asking);
  EXPECT_EQ(counter(), Value(1));
}

TEST_P(Tokens, AFailedRequestLeavesNoToken) {
  const TransactWriteItemsRequest conditional{
      .actions = {put("Plain", R"({pk: "a", x: 1})", {"attribute_exists(pk)"})},
      .client_request_token = "token"};
  EXPECT_EQ(refused(conditional).code(), ErrorCode::TransactionCanceled);
  given("Plain", R"({pk: "a"})");
  expect_done(conditional);
  EXPECT_EQ(stored("Plain", R"({pk: "a"})"), item(R"({pk: "a", x: 1})"));
}

TEST_P(Tokens, AfterTenMinutesARequestIsNew) {
  expect_done(add_one());
  clock_.advance(std::chrono::minutes(10) - std::chrono::milliseconds(1));
  expect_done(add_one());
  EXPECT_EQ(counter(), Value(1));
  clock_.advance(std::chrono::milliseconds(1));
  expect_done(add_one());
  EXPECT_EQ(counter(), Value(2));
  expect_done(add_one());
  EXPECT_EQ(counter(), Value(2)) << "and lives ten minutes again";
  clock_.advance(std::chrono::minutes(10));
  expect_done({.actions = {put("Plain", R"({pk: "a"})")}, .client_request_token = "token"});
}

TEST_P(Tokens, OldOnesAreSwept) {
  ASSERT_TRUE(db_->sweep());  // from here on, tokens are checked every ten minutes
  const auto tokens = [&] {
    const Dump all = db_.dump();
    return std::distance(all.lower_bound("\x06"), all.lower_bound("\x07"));
  };
  for (int i = 0; i < 250; ++i) expect_done(add_one(std::to_string(i)));
  clock_.advance(std::chrono::minutes(9));
  for (int i = 0; i < 5; ++i) expect_done(add_one("later" + std::to_string(i)));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(tokens(), 255);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(tokens(), 5);
  expect_done(add_one("later0"));
  EXPECT_EQ(counter(), Value(255)) << "done once";
  clock_.advance(std::chrono::minutes(10));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(tokens(), 0);
}

TEST_P(Tokens, AReplayCostsReads) {
  TransactWriteItemsRequest request{
      .actions = {put("Plain", R"({pk: "a", x: "x"*1500})"), remove("Plain", R"({pk: "b"})")},
      .client_request_token = "token",
      .return_consumed_capacity = ReturnConsumedCapacity::Total};
  const auto first = db_->transact_write_items(request);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->consumed_capacity.size(), 1U);
  EXPECT_EQ(first->consumed_capacity[0].write_units, 2 * (2 + 1));
  EXPECT_EQ(first->consumed_capacity[0].read_units, std::nullopt);
  const auto replay = db_->transact_write_items(request);
  ASSERT_TRUE(replay);
  ASSERT_EQ(replay->consumed_capacity.size(), 1U);
  EXPECT_EQ(replay->consumed_capacity[0].units, 2 * (1 + 1))
      << "a read counts 4 KB, and nothing like one item";
  EXPECT_EQ(replay->consumed_capacity[0].read_units, 4);
  EXPECT_EQ(replay->consumed_capacity[0].write_units, std::nullopt);
}

TEST(TokensOnDisk, OutliveTheProcess) {
  TestClock clock;
  TestDatabase db(StoreKind::Rocks, clock);
  ASSERT_TRUE(db->create_table(simple_table("Plain")));
  const TransactWriteItemsRequest request{
      .actions = {update("Plain", R"({pk: "counter"})", "ADD n :one", {"", "{:one: 1}"})},
      .client_request_token = "token"};
  ASSERT_TRUE(db->transact_write_items(request));
  db.reopen();
  ASSERT_TRUE(db->transact_write_items(request));
  EXPECT_EQ(db.scan_all("Plain")[0], item(R"({pk: "counter", n: 1})"));
  clock.advance(kTokenLifetime);
  ASSERT_TRUE(db->transact_write_items(request));
  EXPECT_EQ(db.scan_all("Plain")[0], item(R"({pk: "counter", n: 2})"));
}

}  // namespace
}  // namespace tavola::engine
