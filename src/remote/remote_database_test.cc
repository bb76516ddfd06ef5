// Written requests and parsed responses, against our own server without its network; and retries when a server
// throttles or fails.
#include "remote/remote_database.h"

#include <algorithm>
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/client/answers.h"
#include "wire/service.h"

namespace tavola::remote {
namespace {

using testing::HasSubstr;
using testing::Not;

PackedItem packed(const Item& item) { return *pack(item); }

class RemoteTest : public testing::Test {
 protected:
  RemoteTest()
      : server_(open_in_memory()),
        database_(database_behind({.post = [this](const Operation& operation) { return answer(operation); },
                                   .pause = [](std::chrono::milliseconds) {}})) {
    CreateTableRequest request{.table_name = "table"};
    request.attribute_definitions = {{"p", Type::String}, {"s", Type::Number}, {"g", Type::String}};
    request.key_schema = {{"p", KeyType::Hash}, {"s", KeyType::Range}};
    GlobalIndex index;
    index.name = "byG";
    index.key_schema = {{"g", KeyType::Hash}};
    index.projection = {.type = ProjectionType::Include, .attributes = {"n"}};
    request.global_indexes.push_back(index);
    request.billing_mode = BillingMode::PayPerRequest;
    EXPECT_TRUE(database_->create_table(request));
  }

  Result<HttpAnswer> answer(const Operation& operation) {
    const wire::Answer answer =
        wire::run(*wire::find_operation(operation.name), *server_, {}, operation.body);
    return HttpAnswer{answer.status, answer.body};
  }

  void put(int number, std::string_view group = "a") {
    PutItemRequest request{.table_name = "table"};
    request.item = packed({{"p", "x"}, {"s", number}, {"g", group}, {"n", number * number}});
    EXPECT_TRUE(database_->put_item(request));
  }

  std::unique_ptr<Database> server_;
  std::unique_ptr<Database> database_;
};

TEST_F(RemoteTest, ATableIsDeleted) {
  const auto deleted = database_->delete_table({.table_name = "table"});
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_EQ(deleted->table.table_name, "table");
  const auto found = server_->describe_table({.table_name = "table"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::ResourceNotFound);
}

TEST_F(RemoteTest, TimeToLiveIsDescribed) {
  const auto off = database_->describe_time_to_live({.table_name = "table"});
  ASSERT_TRUE(off) << off.error().message();
  EXPECT_EQ(off->time_to_live.status, TimeToLiveStatus::Disabled);
  ASSERT_TRUE(
      server_->update_time_to_live({.table_name = "table", .attribute_name = "until", .enabled = true}));
  const auto on = database_->describe_time_to_live({.table_name = "table"});
  ASSERT_TRUE(on) << on.error().message();
  EXPECT_EQ(on->time_to_live.status, TimeToLiveStatus::Enabled);
  EXPECT_EQ(on->time_to_live.attribute_name, "until");
}

TEST_F(RemoteTest, ATableIsDescribedAsItWasCreated) {
  const auto described = database_->describe_table({.table_name = "table"});
  ASSERT_TRUE(described) << described.error().message();
  const auto expected = server_->describe_table({.table_name = "table"});
  EXPECT_EQ(described->table.key_schema, expected->table.key_schema);
  EXPECT_EQ(described->table.attribute_definitions, expected->table.attribute_definitions);
  ASSERT_EQ(described->table.global_indexes.size(), 1);
  EXPECT_EQ(described->table.global_indexes.front().projection.attributes, std::vector<std::string>{"n"});
  EXPECT_EQ(described->table.billing_mode, BillingMode::PayPerRequest);
  const auto tables = database_->list_tables({});
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->table_names, std::vector<std::string>{"table"});
  const auto missing = database_->describe_table({.table_name = "none"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::ResourceNotFound);
}

TEST_F(RemoteTest, NothingThatATableIsCreatedWithIsLost) {
  CreateTableRequest request{.table_name = "other"};
  request.attribute_definitions = {{"p", Type::String}, {"s", Type::Binary}, {"l", Type::Number}};
  request.key_schema = {{"p", KeyType::Hash}, {"s", KeyType::Range}};
  LocalIndex index;
  index.name = "byL";
  index.key_schema = {{"p", KeyType::Hash}, {"l", KeyType::Range}};
  index.projection = {.type = ProjectionType::KeysOnly, .attributes = {}};
  request.local_indexes.push_back(index);
  request.billing_mode = BillingMode::Provisioned;
  request.throughput = Throughput{5, 6};
  request.deletion_protection = true;
  request.table_class = TableClass::StandardInfrequentAccess;
  request.stream = StreamView::NewAndOldImages;
  ASSERT_TRUE(database_->create_table(request));
  const auto found = server_->describe_table({.table_name = "other"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->table.local_indexes.size(), 1);
  EXPECT_EQ(found->table.billing_mode, BillingMode::Provisioned);
  ASSERT_TRUE(found->table.throughput);
  EXPECT_EQ(found->table.throughput->write_units, 6);
  EXPECT_TRUE(found->table.deletion_protection);
  EXPECT_EQ(found->table.table_class, request.table_class);
  EXPECT_EQ(found->table.stream, request.stream);
}

TEST_F(RemoteTest, AnItemComesBackAsItWas) {
  const Item item{{"p", "naïve \"x\"\n"},
                  {"s", Value(*Number::parse("-1.2345678901234567890123456789012345678E-100"))},
                  {"flag", true},
                  {"none", Value(nullptr)},
                  {"bytes", Value(Binary{std::string("\0\xff", 2)})},
                  {"texts", Value(*StringSet::of({"a", "b"}))},
                  {"deep", Map{{"list", List{1, "two", false}}}}};
  PutItemRequest put{.table_name = "table"};
  put.item = packed(item);
  put.return_values = ReturnValues::AllOld;
  put.return_consumed_capacity = ReturnConsumedCapacity::Total;
  const auto written = database_->put_item(put);
  ASSERT_TRUE(written) << written.error().message();
  ASSERT_TRUE(written->consumed_capacity);
  EXPECT_EQ(written->consumed_capacity->units, 1);
  GetItemRequest get{.table_name = "table", .consistent_read = true};
  get.key = packed({{"p", item.at("p")}, {"s", item.at("s")}});
  const auto found = database_->get_item(get);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_TRUE(found->item);
  EXPECT_EQ(found->item->unpack(), item);
}

TEST_F(RemoteTest, AFailedConditionTellsTheItem) {
  put(1);
  UpdateItemRequest update{.table_name = "table"};
  update.key = packed({{"p", "x"}, {"s", 1}});
  update.update_expression = "SET #n = #n + :one";
  update.condition_expression = "#n > :one";
  update.names = {{"#n", "n"}};
  update.values = packed({{":one", 1}});
  update.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  const auto refused = database_->update_item(update);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::ConditionalCheckFailed);
  const auto* failure = refused.error().detail<ConditionFailure>();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->item.unpack().at("n"), Value(1));
  update.condition_expression = "#n = :one";
  update.return_values = ReturnValues::UpdatedNew;
  const auto updated = database_->update_item(update);
  ASSERT_TRUE(updated && updated->attributes);
  EXPECT_EQ(updated->attributes->unpack(), (Item{{"n", 2}}));
}

TEST_F(RemoteTest, PagesAreReadToTheirEnd) {
  for (int i = 0; i < 5; ++i) put(i, i % 2 == 0 ? "a" : "b");
  QueryRequest query{.table_name = "table"};
  query.key_condition_expression = "p = :p AND s < :s";
  query.filter_expression = "#n <> :four";
  query.names = {{"#n", "n"}};
  query.values = packed({{":p", "x"}, {":s", 4}, {":four", 4}});
  query.limit = 2;
  query.scan_index_forward = false;
  std::vector<Value> seen;
  do {
    const auto page = database_->query(query);
    ASSERT_TRUE(page) << page.error().message();
    for (const PackedItem& item : page->items) seen.push_back(item.unpack().at("s"));
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  EXPECT_EQ(seen, (std::vector<Value>{3, 1, 0}));
  QueryRequest by_group{.table_name = "table"};
  by_group.index_name = "byG";
  by_group.key_condition_expression = "g = :g";
  by_group.values = packed({{":g", "b"}});
  const auto of_group = database_->query(by_group);
  ASSERT_TRUE(of_group);
  EXPECT_EQ(of_group->count, 2);
  ScanRequest scan{.table_name = "table"};
  scan.segment = 0;
  scan.total_segments = 1;
  scan.select = Select::Count;
  const auto scanned = database_->scan(scan);
  ASSERT_TRUE(scanned);
  EXPECT_EQ(scanned->count, 5);
}

TEST_F(RemoteTest, ACancelledTransactionTellsWhyActionByAction) {
  put(1);
  PutItemRequest taken{.table_name = "table"};
  taken.item = packed({{"p", "x"}, {"s", 1}});
  taken.condition_expression = "attribute_not_exists(p)";
  taken.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  PutItemRequest free{.table_name = "table"};
  free.item = packed({{"p", "x"}, {"s", 2}});
  TransactWriteItemsRequest request;
  request.actions = {free, taken};
  const auto cancelled = database_->transact_write_items(request);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code(), ErrorCode::TransactionCanceled);
  const auto* detail = cancelled.error().detail<TransactionCancellation>();
  ASSERT_NE(detail, nullptr);
  ASSERT_EQ(detail->reasons.size(), 2);
  EXPECT_EQ(detail->reasons[0].code, "None");
  EXPECT_EQ(detail->reasons[1].code, "ConditionalCheckFailed");
  ASSERT_TRUE(detail->reasons[1].item);
  EXPECT_EQ(detail->reasons[1].item->unpack().at("n"), Value(1));

  ConditionCheck check{.table_name = "table"};
  check.key = packed({{"p", "x"}, {"s", 1}});
  check.condition_expression = "attribute_exists(p)";
  DeleteItemRequest gone{.table_name = "table"};
  gone.key = packed({{"p", "x"}, {"s", 3}});
  request.actions = {free, check, gone};
  ASSERT_TRUE(database_->transact_write_items(request));
  TransactGetItemsRequest gets;
  for (const int number : {2, 3}) {
    gets.gets.push_back({.table_name = "table"});
    gets.gets.back().key = packed({{"p", "x"}, {"s", number}});
  }
  const auto found = database_->transact_get_items(gets);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->items.size(), 2);
  EXPECT_TRUE(found->items[0]);
  EXPECT_FALSE(found->items[1]);
}

// ---- Retries ----

class Script {
 public:
  explicit Script(std::deque<HttpAnswer> answers) : answers_(std::move(answers)) {}

  std::unique_ptr<Database> database() {
    return database_behind({.post = [this](const Operation& operation) -> Result<HttpAnswer> {
                              sent.push_back(operation.body);
                              HttpAnswer answer = answers_.front();
                              if (answers_.size() > 1) answers_.pop_front();
                              return answer;
                            },
                            .pause = [this](std::chrono::milliseconds time) { pauses.push_back(time); }});
  }

  std::vector<std::string> sent;
  std::vector<std::chrono::milliseconds> pauses;

 private:
  std::deque<HttpAnswer> answers_;  // the last one is repeated
};

const HttpAnswer kThrottled{
    400,
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow"})"};
const HttpAnswer kFailed{500, R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"})"};
const HttpAnswer kDone{200, "{}"};

PutItemRequest one_put() {
  PutItemRequest put{.table_name = "table"};
  put.item = packed({{"p", "x"}});
  return put;
}

TEST(Retries, WhatWasThrottledIsSentAgainAfterAPause) {
  Script script({kThrottled, kThrottled, kDone});
  EXPECT_TRUE(script.database()->put_item(one_put()));
  EXPECT_EQ(script.sent.size(), 3);
  EXPECT_EQ(script.pauses.size(), 2);
}

TEST(Retries, TheyEnd) {
  Script script({kThrottled});
  const auto done = script.database()->put_item(one_put());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::ProvisionedThroughputExceeded);
  EXPECT_EQ(script.sent.size(), script.pauses.size() + 1);
  EXPECT_LE(script.sent.size(), 10);
}

TEST(Retries, AReadIsSentAgainWhenTheServerFailsButNotAWrite) {
  GetItemRequest get{.table_name = "table"};
  get.key = packed({{"p", "x"}});
  Script reads({kFailed, kDone});
  EXPECT_TRUE(reads.database()->get_item(get));
  Script writes({kFailed, kDone});
  const auto done = writes.database()->put_item(one_put());
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("InternalServerError"));
  EXPECT_EQ(writes.sent.size(), 1);
}

TEST(Retries, ATransactionIsSentAgainUnderItsToken) {
  const HttpAnswer running{
      400,
      R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","message":"running"})"};
  Script script({kFailed, running, kDone});
  TransactWriteItemsRequest request;
  request.actions = {one_put()};
  EXPECT_TRUE(script.database()->transact_write_items(request));
  ASSERT_EQ(script.sent.size(), 3);
  EXPECT_THAT(script.sent[0], HasSubstr("ClientRequestToken"));
  EXPECT_EQ(script.sent[0], script.sent[1]);
  EXPECT_EQ(script.sent[0], script.sent[2]);
}

// Throttling tells that nothing was written, which is not so if an earlier attempt may have been performed.
TEST(Retries, ATransactionThatMayHaveHappenedIsNotToldAsThrottled) {
  TransactWriteItemsRequest request;
  request.actions = {one_put()};
  const HttpAnswer cancelled{400,
                             R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
                             R"("message":"m","CancellationReasons":[{"Code":"ThrottlingError"}]})"};
  Script throttled({kFailed, cancelled});
  EXPECT_EQ(throttled.database()->transact_write_items(request).error().code(), ErrorCode::Internal);
  const HttpAnswer refused{400,
                           R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
                           R"("message":"m","CancellationReasons":[{"Code":"ConditionalCheckFailed"}]})"};
  Script settled({kFailed, refused});
  EXPECT_EQ(settled.database()->transact_write_items(request).error().code(), ErrorCode::TransactionCanceled);
}

TEST(Retries, TheyStopWhileMostRequestsFail) {
  Script script({kThrottled});
  const auto database = script.database();
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(database->put_item(one_put()));
  EXPECT_EQ(script.sent.size(), 300U);  // the budget is enough for 100 retries
}

TEST(Retries, AWriteThatMayHaveHappenedSaysSo) {
  Script script({kFailed});
  EXPECT_THAT(script.database()->put_item(one_put()).error().message(), HasSubstr("can have taken effect"));
  EXPECT_THAT(
      script.database()->get_item({.table_name = "table", .key = packed({{"p", "x"}})}).error().message(),
      Not(HasSubstr("can have taken effect")));
}

// ---- Errors ----

TEST(Answers, ErrorsBecomeWhatTheyWere) {
  struct Case {
    long status;
    std::string_view body;
    ErrorCode code;
    std::string_view message;
  };
  for (const Case& one :
       {Case{400, R"({"__type":"com.amazon.coral.validate#ValidationException","message":"bad"})",
             ErrorCode::Validation, "bad"},
        Case{400, R"({"__type":"ResourceNotFoundException","Message":"no table"})",
             ErrorCode::ResourceNotFound, "no table"},
        Case{400, R"({"__type":"com.amazonaws.dynamodb.v20120810#RequestLimitExceeded","message":"slow"})",
             ErrorCode::Throttling, "slow"},
        Case{400, R"({"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"who"})",
             ErrorCode::UnrecognizedClient, "who"},
        Case{400, R"({"__type":"com.amazon.coral.service#ExpiredTokenException","message":"late"})",
             ErrorCode::UnrecognizedClient, "late"},
        Case{400, R"({"__type":"com.amazon.coral.service#NewException","message":"no"})",
             ErrorCode::Validation, "no"},
        Case{500, R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oh"})",
             ErrorCode::Internal, "oh"},
        Case{502, "<html>Bad Gateway</html>", ErrorCode::Internal,
             "the endpoint answered 502: <html>Bad Gateway</html>"}}) {
    const Error error = wire::read_error(one.status, one.body);
    EXPECT_EQ(error.code(), one.code) << one.body;
    EXPECT_EQ(error.message(), one.message);
  }
}

TEST(Answers, AServerThatIsNoDatabaseIsTold) {
  Script script({HttpAnswer{200, "<html>Welcome</html>"}});
  const auto tables = script.database()->list_tables({});
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message(), HasSubstr("does not respond like DynamoDB"));
}

TEST(Endpoints, AreUrlsOrRegions) {
  const Credentials anybody{.access_key_id = "x", .secret_access_key = "x"};
  for (const char* address : {"http://127.0.0.1:8000", "https://db.example:1/", "aws:eu-central-1"})
    EXPECT_TRUE(tavola::connect({.address = address}, anybody)) << address;
  for (const char* address : {"127.0.0.1:8000", "", "http://", "aws:", "aws:EU", "aws", "http://me@host"}) {
    const auto refused = tavola::connect({.address = address}, anybody);
    ASSERT_FALSE(refused) << address;
    EXPECT_EQ(refused.error().code(), ErrorCode::Validation);
    EXPECT_THAT(refused.error().message(), HasSubstr("http://127.0.0.1:8000"));
  }
  EXPECT_FALSE(tavola::connect({.address = "aws:eu-central-1"}, anybody, {.connections = 0}));
  EXPECT_FALSE(tavola::connect({.address = "aws:eu-central-1"}, anybody, {.attempts = 0}));
}

TEST(Endpoints, HaveTheRegionOfTheirAddress) {
  EXPECT_EQ(target_of({.address = "aws:eu-central-1"}, {}).url,
            "https://dynamodb.eu-central-1.amazonaws.com");
  EXPECT_EQ(target_of({.address = "aws:cn-north-1"}, {}).url, "https://dynamodb.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(aws_url("sts", "cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(target_of({.address = "aws:eu-central-1"}, {}).region, "eu-central-1");
  EXPECT_EQ(target_of({.address = "https://dynamodb.eu-west-1.amazonaws.com"}, {}).region, "eu-west-1");
  EXPECT_EQ(target_of({.address = "http://127.0.0.1:8000"}, {}).region, "us-east-1");
  EXPECT_EQ(target_of({.address = "aws:eu-west-1", .region = "eu-west-2"}, {}).region, "eu-west-2");
}

// ---- Streams ----

TEST_F(RemoteTest, StreamsAreReadFromAfar) {
  ASSERT_TRUE(
      server_->update_table({.table_name = "table", .stream = std::optional(StreamView::NewAndOldImages)}));
  put(1);
  put(1, "b");
  const auto listed = database_->list_streams({.table_name = "table"});
  ASSERT_TRUE(listed) << listed.error().message();
  ASSERT_EQ(listed->streams.size(), 1U);
  EXPECT_EQ(listed->streams[0].table_name, "table");
  const std::string& stream = listed->streams[0].stream;
  const auto described = database_->describe_stream({.stream = stream});
  ASSERT_TRUE(described) << described.error().message();
  EXPECT_EQ(described->stream.stream, stream);
  EXPECT_EQ(described->stream.label, listed->streams[0].label);
  EXPECT_EQ(described->stream.view, StreamView::NewAndOldImages);
  EXPECT_EQ(described->stream.key_schema.size(), 2U);
  std::vector<StreamRecord> records;
  for (const Shard& shard : described->stream.shards) {
    const auto iterator = database_->get_shard_iterator({.stream = stream, .shard_id = shard.shard_id});
    ASSERT_TRUE(iterator) << iterator.error().message();
    const auto read = database_->get_records({.shard_iterator = iterator->shard_iterator});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_FALSE(read->next_shard_iterator.empty());
    records.insert(records.end(), read->records.begin(), read->records.end());
  }
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].kind, ChangeKind::Insert);
  EXPECT_EQ(records[1].kind, ChangeKind::Modify);
  EXPECT_EQ(records[1].old_image, records[0].new_image);
  EXPECT_EQ(records[1].keys, packed({{"p", "x"}, {"s", 1}}));
  EXPECT_LT(records[0].sequence_number, records[1].sequence_number);
  EXPECT_GT(records[0].created_at.time_since_epoch().count(), 0);
}

TEST_F(RemoteTest, AStreamThatIsNotThereIsNotFound) {
  const auto described = database_->describe_stream({.stream = "table/stream/2026-01-01T00:00:00.000"});
  EXPECT_EQ(described.error().code(), ErrorCode::ResourceNotFound);
  EXPECT_EQ(database_->get_records({.shard_iterator = "x"}).error().code(), ErrorCode::Validation);
}

TEST(StreamsUrl, IsAHostOfItsOwnAtAws) {
  EXPECT_EQ(streams_url("https://dynamodb.eu-west-1.amazonaws.com"),
            "https://streams.dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(streams_url("http://127.0.0.1:8000"), "http://127.0.0.1:8000");
  EXPECT_EQ(streams_url("http://dynamodb.local:8000"), "http://dynamodb.local:8000");
}

}  // namespace
}  // namespace tavola::remote
