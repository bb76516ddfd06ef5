// The console's server without a network: tokens, sessions, read-only, keys with limits.
#include "server/console/console.h"

#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "json/reader.h"
#include "store/store.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;

// Keeps what it was asked; answers with the sender.
struct TestBackend final : Backend {
  void perform(const access::Sender& sender, const http::Request& request, http::Reply reply) override {
    ++performed;
    reply({.status = 200,
           .body = sender.access_key + (sender.may_write() ? " may write " : " may read ") +
                   std::string(request.path)});
  }
  void with_database(const access::Sender&, const http::Request&,
                     const std::function<void(Database&)>& use) override {
    const std::unique_ptr<Database> database = open_in_memory();
    use(*database);
  }
  int performed = 0;
};

struct TakenAnswer final : http::ReplyTarget {
  void reply(http::Response given) override { response = std::move(given); }
  void dropped() override { response = http::Response{.status = 500}; }
  std::optional<http::Response> response;
};

class ConsoleTest : public testing::Test {
 protected:
  struct Asked {
    std::string method = "GET";
    std::string path = "/session";
    std::string body = {};
    std::map<std::string, std::string> headers = {};
  };

  Console& start(ConsoleMode mode, const access::SignatureVerifier* verifier = nullptr) {
    static const http::Asset kAssets[] = {
        {.path = "/index.html", .type = "text/html", .hash = "aa", .plain = {"page", 4}}};
    return console_.emplace(Console::Parts{
        .backend = backend_,
        .store = *store_,
        .assets = kAssets,
        .verifier = verifier,
        .routes = {{.path = "/console/things",
                    .effect = changes_unless_get,
                    .answer = at_once([](const Visit& visit) {
                      const std::string who = visit.sender == nullptr ? "anybody" : visit.sender->access_key;
                      return http::Response{
                          .status = 200,
                          .body = who + (visit.standing == Standing::Limited ? " limited" : " unlimited")};
                    }),
                    .feature = "things"}},
        .mode = mode,
        .region = "local",
        .endpoint = "http://127.0.0.1:8000",
        .clock = clock_});
  }

  http::Response ask(const Asked& asked) {
    std::vector<http::Header> headers;
    for (const auto& [name, value] : asked.headers) headers.push_back({name, value});
    http::Request request;
    request.method = asked.method;
    request.path = asked.path;
    request.body = asked.body;
    request.headers = headers;
    request.peer = "127.0.0.1:50000";
    TakenAnswer taken;
    console_->answer(request, http::Reply(taken));
    EXPECT_TRUE(taken.response) << asked.path;
    return taken.response.value_or(http::Response{.status = 0});
  }

  json::Node session(const std::map<std::string, std::string>& headers = {}) {
    return *json::parse(ask({.headers = headers}).body);
  }

  http::Response log_in(const std::string& key, const std::string& secret) {
    return ask({.method = "POST",
                .path = "/login",
                .body = R"({"accessKeyId": ")" + key + R"(", "secretAccessKey": ")" + secret + "\"}",
                .headers = {{"Content-Type", "application/json"}}});
  }

  static std::string cookie_in(const http::Response& response) {
    const std::string& all = response.headers;
    const std::size_t at = all.find("Set-Cookie: ");
    return at == std::string::npos ? "" : all.substr(at + 12, all.find(';', at) - at - 12);
  }

  // The headers of a page whose person is logged in with this key.
  std::map<std::string, std::string> page_of(const std::string& key, const std::string& secret) {
    const std::string cookie = cookie_in(log_in(key, secret));
    return {{"Cookie", cookie}, {"X-Page-Token", session({{"Cookie", cookie}}).text_at("token")}};
  }

  Asked operation(const std::string& name, std::map<std::string, std::string> headers) {
    headers["X-Amz-Target"] = "DynamoDB_20120810." + name;
    return {.method = "POST", .path = "/db", .body = "{}", .headers = std::move(headers)};
  }

  TestClock clock_;
  TestBackend backend_;
  std::unique_ptr<store::Store> store_ = store::open_memory();
  access::SignatureVerifier verifier_{
      *access::Credentials::parse("ADMIN s3cret\nSHOP shop tables=orders\nREADER looks read-only\n", "test")};
  std::optional<Console> console_;
};

TEST_F(ConsoleTest, WithoutCredentialsAPageNeedsTheTokenAndNothingElse) {
  start(ConsoleMode::Write);
  const json::Node known = session();
  EXPECT_EQ(known.text_at("needsLogin"), "false");
  EXPECT_EQ(known.text_at("mode"), "write");
  EXPECT_EQ(known.text_at("endpoint"), "http://127.0.0.1:8000");
  EXPECT_EQ(known.find("features")->elements.at(0).text, "things");
  const std::string token = known.text_at("token");
  EXPECT_EQ(token.size(), 64);
  EXPECT_EQ(ask(operation("PutItem", {})).status, 403);
  EXPECT_EQ(ask(operation("PutItem", {{"X-Page-Token", "x"}})).status, 403);
  EXPECT_EQ(ask({.method = "POST", .path = "/console/things"}).status, 403);
  EXPECT_EQ(backend_.performed, 0);
  EXPECT_EQ(ask(operation("PutItem", {{"X-Page-Token", token}})).body, "console may write /db");
  EXPECT_EQ(ask({.path = "/console/things/one"}).body, "anybody unlimited");
  EXPECT_EQ(ask({.path = "/console/thingsandmore"}).status, 404);
  EXPECT_EQ(log_in("ADMIN", "s3cret").status, 404);
}

TEST_F(ConsoleTest, EveryAnswerHasThePolicyOfPages) {
  start(ConsoleMode::Write);
  for (const char* const path : {"/", "/t/my.table/items", "/session", "/console/things", "/console/none"}) {
    const http::Response response = ask({.path = path});
    EXPECT_THAT(response.headers, HasSubstr("Content-Security-Policy: default-src 'self'")) << path;
    EXPECT_THAT(response.headers, HasSubstr("X-Content-Type-Options: nosniff")) << path;
  }
  EXPECT_EQ(ask({.path = "/t/my.table/items"}).body, "page");
  EXPECT_EQ(ask({.path = "/assets/none.js"}).status, 404);
  EXPECT_EQ(ask({.method = "POST", .path = "/"}).status, 405);
}

TEST_F(ConsoleTest, WhereTheServerHasCredentialsEverybodyLogsIn) {
  start(ConsoleMode::Write, &verifier_);
  const json::Node unknown = session();
  EXPECT_EQ(unknown.text_at("needsLogin"), "true");
  EXPECT_EQ(unknown.text_at("token"), "");
  EXPECT_EQ(unknown.text_at("endpoint"), "");
  EXPECT_EQ(ask({.path = "/"}).status, 200);
  for (const Asked& asked : {operation("ListTables", {}), operation("ListTables", {{"X-Page-Token", ""}}),
                             Asked{.path = "/console/things"}, Asked{.path = "/v1/"}}) {
    EXPECT_EQ(ask(asked).status, 401) << asked.path;
  }
  EXPECT_EQ(log_in("ADMIN", "wrong").status, 401);
  EXPECT_EQ(log_in("NOBODY", "s3cret").status, 401);
  EXPECT_EQ(log_in("NOBODY", "").status, 401);
  EXPECT_EQ(ask({.method = "POST", .path = "/login", .body = "{}"}).status, 415);
  const auto page = page_of("ADMIN", "s3cret");
  EXPECT_EQ(ask(operation("PutItem", page)).body, "ADMIN may write /db");
  EXPECT_EQ(ask({.path = "/console/things", .headers = page}).body, "ADMIN unlimited");
  EXPECT_EQ(ask(operation("PutItem", {{"Cookie", page.at("Cookie")}})).status, 403) << "no token";
  EXPECT_EQ(ask({.method = "POST", .path = "/logout", .headers = page}).status, 204);
  EXPECT_EQ(ask(operation("ListTables", page)).status, 401);
}

TEST_F(ConsoleTest, AKeyMayDoWhatItMayAtTheDatabase) {
  start(ConsoleMode::Write, &verifier_);
  const auto shop = page_of("SHOP", "shop");
  EXPECT_EQ(ask({.path = "/console/things", .headers = shop}).body, "SHOP limited");
  const auto reader = page_of("READER", "looks");
  EXPECT_EQ(session(reader).text_at("mode"), "read-only");
  EXPECT_EQ(ask({.method = "POST", .path = "/console/things", .headers = reader}).status, 403);
  EXPECT_EQ(ask(operation("Query", reader)).body, "READER may read /db");
}

TEST_F(ConsoleTest, AReadOnlyConsoleRefusesChangesOfEverybody) {
  start(ConsoleMode::ReadOnly, &verifier_);
  const auto page = page_of("ADMIN", "s3cret");
  EXPECT_EQ(session(page).text_at("mode"), "read-only");
  for (const char* const name :
       {"PutItem", "CreateTable", "TransactWriteItems", "BatchWriteItem", "UpdateTable", "DeleteTable",
        "TagResource", "RestoreTableFromBackup", "SomethingNew"}) {
    const http::Response refused = ask(operation(name, page));
    EXPECT_EQ(refused.status, 400) << name;
    EXPECT_THAT(refused.body, HasSubstr("AccessDeniedException")) << name;
    EXPECT_THAT(refused.body, HasSubstr("--console read-only")) << name;
  }
  EXPECT_EQ(backend_.performed, 0);
  // A statement may read: the sender has a key that may not write.
  EXPECT_EQ(ask(operation("ExecuteStatement", page)).body, "ADMIN may read /db");
  EXPECT_EQ(ask(operation("GetItem", page)).body, "ADMIN may read /db");
  EXPECT_EQ(ask({.path = "/console/things", .headers = page}).body, "ADMIN unlimited");
  EXPECT_EQ(ask({.method = "DELETE", .path = "/console/things", .headers = page}).status, 403);
}

TEST_F(ConsoleTest, AnAddressHasFewLoginsPerMinute) {
  start(ConsoleMode::Write, &verifier_);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(log_in("ADMIN", std::to_string(i)).status, 401);
  EXPECT_EQ(log_in("ADMIN", "s3cret").status, 429);
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(log_in("ADMIN", "s3cret").status, 204);
}

TEST_F(ConsoleTest, StrangersDoNotFillTheMemoryWithBodies) {
  Console& console = start(ConsoleMode::Write, &verifier_);
  http::Request request;
  request.method = "POST";
  request.path = "/db";
  EXPECT_EQ(console.refuse_head(request)->status, 401);
  request.path = "/login";
  EXPECT_FALSE(console.refuse_head(request));
}

}  // namespace
}  // namespace tavola::server
