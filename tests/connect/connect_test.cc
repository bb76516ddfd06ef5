// tavola::connect against servers on loopback: a Tavola that verifies signatures, and servers that lose answers, throttle, and have other
// clocks.
#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/tavola.h>

#include "http/bytes/crc32.h"
#include "tests/connect/test_loopback.h"
#include "tests/connect/test_raw_server.h"
#include "wire/service.h"

namespace tavola {
namespace {

using testing::HasSubstr;

const Credentials kKey{
    .access_key_id = "AKID", .secret_access_key = "SECRET/with+signs=", .session_token = "a/token=="};

PackedItem packed(const Item& item) { return *pack(item); }

http::Response json(int status, std::string body) {
  return {
      .status = status, .content_type = "application/x-amz-json-1.0", .body = std::move(body), .crc32 = true};
}

// A Tavola that verifies every signature.
class VerifyingServer {
 public:
  VerifyingServer()
      : verifier_(*access::Credentials::parse("AKID SECRET/with+signs=\n", "keys")),
        database_(open_in_memory()),
        server_([this](const Heard& heard) { return answer(heard); }) {}

  const std::string& url() const { return server_.url(); }
  std::vector<Heard> heard() const { return server_.heard(); }
  http::Statistics statistics() const { return server_.statistics(); }

 private:
  http::Response answer(const Heard& heard) {
    std::vector<http::Header> headers;
    for (const auto& [name, value] : heard.headers) headers.push_back({name, value});
    const http::Request request{.method = heard.method,
                                .path = heard.target,
                                .query = {},
                                .body = heard.body,
                                .payload = heard.body,
                                .headers = headers,
                                .peer = {}};
    const auto sender = verifier_.verify(request, Clock::system().now());
    if (!sender) {
      const wire::Answer refused = wire::error_answer(sender.error());
      return json(refused.status, refused.body);
    }
    wire::Answer given;
    const wire::KnownOperation* operation = wire::operation_of_target(heard.header("x-amz-target"), given);
    if (operation != nullptr)
      given = wire::run(*operation, *database_, {"eu-west-1", "123456789012"}, heard.body);
    return json(given.status, given.body);
  }

  access::SignatureVerifier verifier_;
  std::unique_ptr<Database> database_;
  Loopback server_;
};

CreateTableRequest counters() {
  return {.table_name = "Counters", .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}};
}

UpdateItemRequest add_one() {
  return {.table_name = "Counters",
          .key = packed({{"id", "x"}}),
          .update_expression = "ADD n :one",
          .values = packed({{":one", 1}})};
}

TEST(Connect, SignsEveryRequest) {
  VerifyingServer server;
  const auto database = connect({.address = server.url(), .region = "eu-west-1"}, kKey);
  ASSERT_TRUE(database) << database.error().message();
  const auto created = (*database)->create_table(counters());
  ASSERT_TRUE(created) << created.error().message();
  ASSERT_TRUE((*database)->update_item(add_one()));
  ASSERT_TRUE((*database)->list_streams({}));
  EXPECT_EQ(server.heard().front().header("x-amz-security-token"), "a/token==");
  EXPECT_THAT(server.heard().front().header("authorization"), HasSubstr("/eu-west-1/dynamodb/aws4_request"));
  EXPECT_THAT(server.heard().back().header("x-amz-target"),
              HasSubstr("DynamoDBStreams_20120810.ListStreams"));
  const auto stranger = connect({.address = server.url()}, Credentials{"AKID", "wrong", ""});
  EXPECT_EQ((*stranger)->list_tables({}).error().code(), ErrorCode::InvalidSignature);
}

TEST(Connect, EveryOperationReachesTheServer) {
  VerifyingServer server;
  const auto database = *connect({.address = server.url()}, kKey);
  ASSERT_TRUE(database->create_table(counters()));
  ASSERT_TRUE(database->update_item(add_one()));
  const auto updated = database->update_table({.table_name = "Counters", .deletion_protection = true});
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_TRUE(updated->table.deletion_protection);
  ASSERT_TRUE(database->tag_resource({"Counters", {{"a", "1"}}}));
  EXPECT_EQ(database->list_tags_of_resource({"Counters"})->tags, Tags({{"a", "1"}}));
  const auto on = database->update_continuous_backups({.table_name = "Counters", .enabled = true});
  ASSERT_TRUE(on) << on.error().message();
  EXPECT_EQ(on->backups.recovery->days, 35);
  const auto backup = database->create_backup({"Counters", "before"});
  ASSERT_TRUE(backup) << backup.error().message();
  EXPECT_THAT(backup->backup.backup, testing::StartsWith("Counters/backup/"));
  const auto described = database->describe_backup({backup->backup.backup});
  ASSERT_TRUE(described) << described.error().message();
  EXPECT_EQ(described->backup.table.key_schema, counters().key_schema);
  EXPECT_EQ(database->list_backups({})->backups.size(), 1U);
  const auto restored = database->restore_table_from_backup({backup->backup.backup, "Restored"});
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(restored->table.table_name, "Restored");
  // The background reads the backup until the table is active, and the backup cannot be deleted before.
  const auto is_active = [&] {
    return database->describe_table({"Restored"})->table.status == TableStatus::Active;
  };
  for (int attempt = 0; attempt < 2'000 && !is_active(); ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(database->delete_backup({backup->backup.backup}));
  EXPECT_EQ(database->describe_backup({backup->backup.backup}).error().code(), ErrorCode::BackupNotFound);
  // This server has no folders, and says so itself.
  EXPECT_THAT(database->export_table({.table_name = "Counters", .bucket = "bucket"}).error().message(),
              HasSubstr("Only a Tavola server exports"));
  EXPECT_FALSE(database->get_resource_policy({"Counters"}));
  EXPECT_EQ(
      execute_statement(*database, {.statement = "SELECT n FROM Counters WHERE id = 'x'"})->items.size(), 1U);
}

TEST(Connect, ALegacyConditionHolds) {
  VerifyingServer server;
  const auto database = *connect({.address = server.url()}, kKey);
  ASSERT_TRUE(database->create_table(counters()));
  PutItemRequest put{.table_name = "Counters", .item = packed({{"id", "x"}})};
  put.expected = {{"id", {.exists = false, .value = {}, .op = {}, .operands = {}}}};
  EXPECT_TRUE(database->put_item(put));
  EXPECT_EQ(database->put_item(put).error().code(), ErrorCode::ConditionalCheckFailed);
}

TEST(Connect, CallsOfManyThreadsLoseNothing) {
  VerifyingServer server;
  const auto database = *connect({.address = server.url()}, kKey, {.connections = 4});
  ASSERT_TRUE(database->create_table(counters()));
  constexpr int kThreads = 8;
  constexpr int kEach = 50;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kEach; ++n) failed += database->update_item(add_one()) ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failed, 0);
  const auto found = database->get_item({.table_name = "Counters", .key = packed({{"id", "x"}})});
  EXPECT_EQ(found->item->unpack().at("n"), Value(kThreads * kEach));
  EXPECT_GT(server.statistics().connections, 1U);  // more than one at a time,
  EXPECT_LE(server.statistics().connections, 4U);  // as many as allowed, and kept
}

TEST(Connect, AnAnswerThatWasDamagedIsNotBelieved) {
  Loopback server([](const Heard&) {
    http::Response response{.content_type = "application/x-amz-json-1.0", .body = R"({"TableNames":["a"]})"};
    response.add_header("x-amz-crc32", std::to_string(http::crc32(R"({"TableNames":["b"]})")));
    return response;
  });
  const auto database = *connect({.address = server.url()}, kKey, {.attempts = 2});
  const auto tables = database->list_tables({});
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message(), HasSubstr("x-amz-crc32"));
  EXPECT_EQ(server.heard().size(), 2U);  // a read: it was tried again
}

// ---- A server by hand, for what an HTTP server does not do: lose an answer, tell another time ----

TEST(Connect, CallsDoNotTakeTurns) {
  constexpr int kCalls = 4;
  std::latch together(kCalls);  // no call is answered before all of them are there
  RawServer server([&together](int) {
    together.arrive_and_wait();
    return http_answer("200 OK", "", R"({"TableNames":[]})");
  });
  const auto database = *connect({.address = server.url()}, kKey, {.connections = kCalls});
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kCalls; ++i)
      threads.emplace_back([&] { answered += database->list_tables({}) ? 1 : 0; });
  }
  EXPECT_EQ(answered, kCalls);
}

TEST(LostAnswers, AWriteIsNotSentAgainOnAKeptConnection) {
  RawServer server(
      [](int request) { return request == 1 ? http_answer("200 OK", "", "{}") : std::string(); });
  const auto database = *connect({.address = server.url()}, kKey);
  ASSERT_TRUE(database->update_item(add_one()));
  const auto lost = database->update_item(add_one());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::Io);
  EXPECT_THAT(lost.error().message(), HasSubstr("can have taken effect"));
  EXPECT_EQ(server.requests(), 2);
}

TEST(LostAnswers, AReadIsSentAgain) {
  RawServer server([](int request) {
    return request < 3 ? std::string() : http_answer("200 OK", "", R"({"TableNames":["a"]})");
  });
  const auto database = *connect({.address = server.url()}, kKey);
  const auto tables = database->list_tables({});
  ASSERT_TRUE(tables) << tables.error().message();
  EXPECT_EQ(tables->table_names, std::vector<std::string>{"a"});
}

TEST(LostAnswers, AServerThatIsNotThereWasNotAsked) {
  std::string url;
  {
    RawServer server([](int) { return std::string(); });
    url = server.url();
  }
  const auto database = *connect({.address = url}, kKey, {.attempts = 2});
  const auto written = database->update_item(add_one());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::Io);
  EXPECT_THAT(written.error().message(), HasSubstr("cannot reach " + url));
}

TEST(Clocks, TheServersTimeIsLearntOnce) {
  constexpr std::string_view kExpired =
      R"({"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired: 20260101T000000Z is now earlier than"})";
  RawServer server([kExpired](int request) {
    if (request == 1)
      return http_answer("400 Bad Request", "Date: Fri, 01 Jan 2100 00:00:00 GMT\r\n", std::string(kExpired));
    return http_answer("200 OK", "", "{}");
  });
  const auto database = *connect({.address = server.url()}, kKey);
  EXPECT_TRUE(database->update_item(add_one()));
  EXPECT_EQ(server.requests(), 2);
  EXPECT_TRUE(database->update_item(add_one()));
  EXPECT_EQ(server.requests(), 3);
}

TEST(Clocks, ARefusalAtTheSameTimeIsReported) {
  RawServer server([](int) {
    return http_answer("400 Bad Request", "",
                       R"({"__type":"InvalidSignatureException","message":"Signature expired: no Date"})");
  });
  const auto database = *connect({.address = server.url()}, kKey);
  EXPECT_EQ(database->update_item(add_one()).error().code(), ErrorCode::InvalidSignature);
  EXPECT_EQ(server.requests(), 1);
}

}  // namespace
}  // namespace tavola
