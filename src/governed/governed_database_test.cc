// A front on a database that governs nothing itself: its answers are those of an engine that governs, and it asks for no more than it
// needs.
#include "governed/governed_database.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/engine.h"
#include "engine/test_notation.h"
#include "governed/test_fronts.h"

namespace tavola::governed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Requests = std::vector<std::string>;

class GovernedFront : public testing::Test {
 protected:
  TestFronts fronts_{kShop};
  GovernedDatabase& front_ = fronts_.front(0);
  GovernedDatabase& other_ = fronts_.front(1);
  MeteredDatabase& remote_ = fronts_.remote(0);
};

TEST_F(GovernedFront, ACreationReadsNothing) {
  remote_.take();
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a"})")));
  const Metered used = remote_.take();
  EXPECT_THAT(used.requests, ElementsAre("PutItem"));
  EXPECT_EQ(used.read_units, 0);
  EXPECT_EQ(used.write_units, 1);
}

TEST_F(GovernedFront, ACreationOnConditionReadsNothing) {
  remote_.take();
  PutItemRequest request = put(R"({PK: "NOTE#1", SK: "META", text: "a"})");
  request.condition_expression = "attribute_not_exists(PK)";
  ASSERT_TRUE(front_.put_item(request));
  EXPECT_THAT(remote_.take().requests, ElementsAre("PutItem"));
  const auto again = front_.put_item(request);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::ConditionalCheckFailed);
  EXPECT_EQ(again.error().message(), "The conditional request failed");
  EXPECT_THAT(remote_.take().requests, ElementsAre("PutItem"));
}

TEST_F(GovernedFront, AChangeIsOneReadAndOneConditionalWrite) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a"})")));
  remote_.take();
  ASSERT_TRUE(front_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "SET #t = :t", R"({":t": "b"})")));
  const Metered used = remote_.take();
  EXPECT_THAT(used.requests, ElementsAre("GetItem", "UpdateItem"));
  EXPECT_EQ(used.read_units, 1);
  EXPECT_EQ(used.write_units, 1);
}

TEST_F(GovernedFront, DerivedKeysFollow) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a", topic: "x", grade: "y"})")));
  EXPECT_EQ(fronts_.stored(R"({PK: "NOTE#1", SK: "META"})").at("byTopic"), Value("TOPIC#x#y"));
  ASSERT_TRUE(
      front_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "SET topic = :t", R"({":t": "b"})")));
  EXPECT_EQ(fronts_.stored(R"({PK: "NOTE#1", SK: "META"})").at("byTopic"), Value("TOPIC#b#y"));
}

// Between the read and the write of one front, the other sets the field that the first one saw missing.
TEST_F(GovernedFront, AnAbsentFieldIsComparedToo) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a"})")));
  bool is_first = true;
  remote_.before = [&](std::string_view operation) -> Result<void> {
    if (operation != "UpdateItem" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(
        other_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "SET grade = :g", R"({":g": "1"})")));
    return {};
  };
  ASSERT_TRUE(
      front_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "SET topic = :t", R"({":t": "b"})")));
  EXPECT_EQ(fronts_.stored(R"({PK: "NOTE#1", SK: "META"})").at("byTopic"), Value("TOPIC#b#1"));
  EXPECT_EQ(front_.counts().lost_races, 1U);
}

// The client's own condition looks at attributes that no design declares.
TEST_F(GovernedFront, WhatTheClientLookedAtIsCompared) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a"})")));
  bool is_first = true;
  remote_.before = [&](std::string_view operation) -> Result<void> {
    if (operation != "UpdateItem" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(fronts_.engine().update_item(
        update(R"({PK: "NOTE#1", SK: "META"})", "SET lockedBy = :g", R"({":g": "1"})")));
    return {};
  };
  UpdateItemRequest request = update(R"({PK: "NOTE#1", SK: "META"})", "SET topic = :t", R"({":t": "b"})");
  request.condition_expression = "attribute_not_exists(lockedBy)";
  const auto done = front_.update_item(request);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::ConditionalCheckFailed);
}

TEST_F(GovernedFront, AnItemThatIsWrittenWithCompanionsIsOneTransaction) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  remote_.take();
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})")));
  EXPECT_EQ(remote_.take().requests.back(), "TransactWriteItems");
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(1));
  const auto taken = front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#2", sku: "a"})"));
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message(), HasSubstr("another Product has the sku a"));
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(1));
}

TEST_F(GovernedFront, CountersAreAddedToSoThatChildrenDoNotMeet) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  bool is_first = true;
  remote_.before = [&](std::string_view operation) -> Result<void> {
    if (operation != "TransactWriteItems" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(other_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#2", sku: "b"})")));
    return {};
  };
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})")));
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(2));
  EXPECT_EQ(front_.counts().lost_races, 0U);
}

TEST_F(GovernedFront, ARecordIsSeenByNobody) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})")));
  EXPECT_GT(fronts_.engine().scan({.table_name = "shop"})->count, 2);
  const auto page = front_.scan({.table_name = "shop"});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->count, 2);
  EXPECT_EQ(page->scanned_count, 2);
  EXPECT_EQ(front_.scan({.table_name = "shop", .select = Select::Count})->count, 2);
  QueryRequest query{.table_name = "shop", .key_condition_expression = "PK = :k"};
  query.values = item(R"({":k": "$design#current"})");
  EXPECT_THAT(front_.query(query)->items, IsEmpty());
  const auto written = front_.put_item(put(R"({PK: "$token#1", SK: "$token"})"));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message(), HasSubstr("internal records"));
  EXPECT_FALSE(
      front_.get_item({.table_name = "shop", .key = item(R"({PK: "$design#current", SK: "$design"})")}));
}

TEST_F(GovernedFront, NoIndexHasRecordsOfTheFronts) {
  ASSERT_TRUE(front_.transact_write_items(
      {.actions = {put(R"({PK: "NOTE#1", SK: "META", text: "a", n: 1})")}, .client_request_token = "mine"}));
  int records = 0;
  for (const PackedItem& packed : fronts_.engine().scan({.table_name = "shop"})->items) {
    const Item record = packed.unpack();
    if (!record.at("PK").string().starts_with('$')) continue;
    ++records;
    for (const auto& [name, value] : record)
      EXPECT_TRUE(name.starts_with('$') || name == "PK" || name == "SK") << name;
  }
  EXPECT_EQ(records, 2);  // of the design and of the token
}

TEST_F(GovernedFront, AClientsTokenIsARecordAndIsNeverSentOn) {
  TransactWriteItemsRequest request{.actions = {put(R"({PK: "NOTE#1", SK: "META", text: "a", n: 1})")},
                                    .client_request_token = "mine"};
  ASSERT_TRUE(front_.transact_write_items(request));
  EXPECT_THAT(remote_.seen_tokens, testing::Not(testing::Contains("mine")));
  ASSERT_TRUE(front_.delete_item({.table_name = "shop", .key = item(R"({PK: "NOTE#1", SK: "META"})")}));
  ASSERT_TRUE(other_.transact_write_items(request));  // the same request: nothing happens
  EXPECT_TRUE(fronts_.stored(R"({PK: "NOTE#1", SK: "META"})").empty());
  request.actions = {put(R"({PK: "NOTE#2", SK: "META", text: "a"})")};
  const auto other = other_.transact_write_items(request);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::IdempotentParameterMismatch);
}

TEST_F(GovernedFront, ALostAnswerOfATransactionDoesNotCountTwice) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  int lost = 2;
  remote_.after = [&](std::string_view) -> Result<void> {
    if (lost-- > 0) return fail(Error(ErrorCode::Io, "the answer was lost"));
    return {};
  };
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})")));
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(1));
}

TEST_F(GovernedFront, ALostAnswerOfASingleWriteIsFoundOut) {
  int lost = 1;
  remote_.after = [&](std::string_view) -> Result<void> {
    if (lost-- > 0) return fail(Error(ErrorCode::Io, "the answer was lost"));
    return {};
  };
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a", n: 1})")));
  lost = 1;
  const auto added = front_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "ADD n :o", R"({":o": 1})"));
  ASSERT_FALSE(added);  // whether it was this write or another one cannot be known: the client decides
  EXPECT_EQ(added.error().code(), ErrorCode::Io);
  EXPECT_EQ(fronts_.stored(R"({PK: "NOTE#1", SK: "META"})").at("n"), Value(2));
}

// After Throttling clients send the write again, which is right only if nothing was written.
TEST_F(GovernedFront, AnUnknownAnswerIsNotToldAsThrottling) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "NOTE#1", SK: "META", text: "a", n: 1})")));
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  int writes = 0;
  remote_.after = [&](std::string_view) -> Result<void> {
    return fail(Error(++writes == 1 ? ErrorCode::Io : ErrorCode::Throttling, "no answer, or too many"));
  };
  const auto added = front_.update_item(update(R"({PK: "NOTE#1", SK: "META"})", "ADD n :o", R"({":o": 1})"));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::Io);
  writes = 0;
  const auto put_together = front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})"));
  ASSERT_FALSE(put_together);
  EXPECT_EQ(put_together.error().code(), ErrorCode::Io);
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(1));
}

// The first answer was lost on the way, and the transaction still runs when it is sent again.
TEST_F(GovernedFront, ATransactionInProgressIsWaitedFor) {
  ASSERT_TRUE(front_.put_item(put(R"({PK: "SHOP#1", SK: "META", name: "s"})")));
  int running = 2;
  remote_.after = [&](std::string_view) -> Result<void> {
    if (running-- > 0) return fail(Error(ErrorCode::TransactionInProgress, "still in progress"));
    return {};
  };
  const auto done = front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#1", sku: "a"})"));
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_EQ(fronts_.stored(R"({PK: "SHOP#1", SK: "META"})").at("products"), Value(1));
  running = 1'000;
  const auto unknown = front_.put_item(put(R"({PK: "SHOP#1", SK: "PRODUCT#2", sku: "b"})"));
  ASSERT_FALSE(unknown);  // clients send a write again after TransactionInProgress
  EXPECT_EQ(unknown.error().code(), ErrorCode::Internal);
}

TEST_F(GovernedFront, ItemsWithCompanionsDoNotExpire) {
  const auto by = [](const std::string& attribute) {
    return UpdateTimeToLiveRequest{.table_name = "shop", .attribute_name = attribute, .enabled = true};
  };
  const auto refused = front_.update_time_to_live(by("stock"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("Product expires by stock, and has a unique field"));
  const auto done = front_.update_time_to_live(by("n"));
  EXPECT_TRUE(done) << done.error().message();
}

// Shows items to consistent reads alone, as DynamoDB may for a moment.
class LateScans final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<ScanResponse> scan(const ScanRequest& request) override {
    return request.consistent_read ? database().scan(request) : ScanResponse{};
  }
};

TEST(GovernedTable, AnItemThatWasJustWrittenIsNotOverlooked) {
  TestClock clock;
  engine::Engine engine(store::open_memory(), clock);
  const design::Loaded loaded = design::load(kShop, "shop.yaml");
  ASSERT_TRUE(engine.create_table(design::table_schema(*loaded.design)));
  ASSERT_TRUE(engine.put_item(put(R"({PK: "NOTE#1", SK: "META"})")));  // not as the design has it
  LateScans remote(engine);
  const auto front = GovernedDatabase::open(remote, std::array{*loaded.design}, clock,
                                            {.lease_clock = &clock, .watch_times = kAtOnce});
  ASSERT_TRUE(front) << front.error().message();
  EXPECT_FALSE((*front)->governs("shop"));  // the design must take the table over first
}

TEST_F(GovernedFront, AnotherDesignDoesNotStart) {
  std::string changed = kShop;
  changed.replace(changed.find("name: shop"), 10, "name: else");
  const auto second = fronts_.open_front(changed);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another design"));
}

TEST_F(GovernedFront, TheDesignIsEnforced) {
  const auto refused = front_.put_item(put(R"({PK: "NOTE#1", SK: "META"})"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("text is required"));
  const auto missing = front_.put_item(put(R"({PK: "SHOP#9", SK: "PRODUCT#1", sku: "a"})"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(fronts_.engine().scan({.table_name = "shop"})->items,
              testing::SizeIs(1));  // the design's record
}

// A stream whose iterator behind a change of a note can expire, and whose changes before the last one that was looked at are gone.
class ForgetfulStream final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request) override {
    if (has_forgotten && request.type == ShardIteratorType::AfterSequenceNumber)
      return fail(
          Error(ErrorCode::TrimmedDataAccess, "The operation attempted to read past the oldest record"));
    return database().get_shard_iterator(request);
  }
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& request) override {
    const bool is_behind_note = request.shard_iterator == behind_note_;
    if (is_behind_note && std::exchange(is_expired, false))
      return fail(Error(ErrorCode::ExpiredIterator, "Iterator expired"));
    TAVOLA_TRY(GetRecordsResponse response, database().get_records(request));
    const bool has_note = std::ranges::any_of(response.records, [](const StreamRecord& record) {
      return record.keys.find("PK")->string().starts_with("NOTE#");
    });
    if (is_behind_note || has_note) behind_note_ = response.next_shard_iterator;
    return response;
  }

  bool has_forgotten = false;
  bool is_expired = false;

 private:
  std::string behind_note_;
};

TEST(StreamAudit, ContinuesWhereAStreamHasLostItsPlace) {
  TestClock clock;
  engine::Engine engine(store::open_memory(), clock);
  const design::Loaded loaded = design::load(kShop, "shop.yaml");
  CreateTableRequest table = design::table_schema(*loaded.design);
  table.stream = StreamView::NewAndOldImages;
  ASSERT_TRUE(engine.create_table(table));
  ForgetfulStream remote(engine);
  auto front = GovernedDatabase::open(remote, std::array{*loaded.design}, clock, {.lease_clock = &clock});
  ASSERT_TRUE(front) << front.error().message();
  std::vector<std::string> found;
  std::vector<std::string> failures;
  const StreamAudit::Report report{
      .found = [&](const std::string&, const AuditFinding& finding) { found.push_back(finding.key); },
      .failed = [&](const std::string& why) { failures.push_back(why); }};
  const auto bypass = [&](const std::string& note) {
    EXPECT_TRUE(engine.put_item(put(R"({PK: "NOTE#)" + note + R"(", SK: "META"})")));  // without its text
  };
  const auto pass = [&] { (*front)->audit().pass(report); };
  pass();  // finds the end of the stream
  bypass("1");
  pass();
  EXPECT_THAT(found, ElementsAre(R"({"PK":{"S":"NOTE#1"},"SK":{"S":"META"}})"));
  remote.is_expired = true;
  pass();
  EXPECT_THAT(failures, ElementsAre(HasSubstr("Iterator expired")));
  failures.clear();
  remote.has_forgotten = true;
  bypass("2");
  pass();
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_THAT(found, testing::Contains(R"({"PK":{"S":"NOTE#2"},"SK":{"S":"META"}})"));
}

}  // namespace
}  // namespace tavola::governed
