// The history of items over HTTP, without the network: questions in, JSON out, on a real engine.
#include "server/console/history_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/engine.h"
#include "json/reader.h"
#include "store/store.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPeople = R"(design: 1
name: people
table: { name: people, hash: PK }
entities:
  Person:
    key: { PK: PERSON#<id> }
    ids: { id: string }
    attributes:
      name: string
      email: { type: email, sensitive: true }
)";

class HistoryReply final : public http::ReplyTarget {
 public:
  void reply(http::Response given) override { response = std::move(given); }
  void dropped() override { ADD_FAILURE() << "no answer"; }
  http::Response response{};
};

class HistoryRoutes : public testing::Test {
 protected:
  HistoryRoutes() {
    EXPECT_TRUE(db_.create_table({.table_name = "music",
                                  .attribute_definitions = {{"pk", Type::String}},
                                  .key_schema = {{"pk", KeyType::Hash}}}));
  }
  void switch_on(const std::string& table = "music") {
    EXPECT_TRUE(db_.update_continuous_backups({.table_name = table, .enabled = true}));
  }
  void put(const std::string& table, const Item& item) {
    clock_.advance(std::chrono::seconds(1));
    const auto done = db_.put_item({.table_name = table, .item = *pack(item)});
    EXPECT_TRUE(done) << done.error().message();
  }
  http::Response ask(std::string_view path, std::string_view body, std::string_view method = "POST") {
    const std::vector<Route> routes = history_routes();
    http::Request request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    if (path.contains('?')) request.query = path.substr(path.find('?') + 1);
    request.body = body;
    HistoryReply target;
    routes.at(0).answer(
        {.request = request, .database = db_, .sender = nullptr, .standing = Standing::Unlimited},
        http::Reply(target));
    return std::move(target.response);
  }
  std::string answer(std::string_view path, std::string_view body) {
    http::Response response = ask(path, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return std::move(response.body);
  }

  TestClock clock_;
  engine::Engine db_{store::open_memory(), clock_};
};

TEST_F(HistoryRoutes, VersionsPageByPage) {
  switch_on();
  for (const char* x : {"1", "2", "3"}) put("music", {{"pk", "a"}, {"x", x}});
  EXPECT_EQ(
      answer("/console/history/music", R"({"key": {"pk": {"S": "a"}}})"),
      R"({"item":{"item":{"pk":{"S":"a"},"x":{"S":"3"}}},"changes":[)"
      R"({"number":"1887436803145728000","at":"2027-01-15T08:00:03.000Z","kind":"modify","by":"client","before":{"item":{"pk":{"S":"a"},"x":{"S":"2"}}}},)"
      R"({"number":"1887436802097152000","at":"2027-01-15T08:00:02.000Z","kind":"modify","by":"client","before":{"item":{"pk":{"S":"a"},"x":{"S":"1"}}}},)"
      R"({"number":"1887436801048576000","at":"2027-01-15T08:00:01.000Z","kind":"insert","by":"client","before":null}],)"
      R"("reached":"2027-01-15T08:00:00.000Z","earliest":"2027-01-15T08:00:00.000Z","next":null})");
  const std::string first = answer("/console/history/music", R"({"key": {"pk": {"S": "a"}}, "limit": 2})");
  const auto root = json::parse(first);
  ASSERT_TRUE(root);
  const std::string next(root->text_at("next"));
  const std::string second =
      answer("/console/history/music", R"({"key": {"pk": {"S": "a"}}, "before": ")" + next + "\"}");
  EXPECT_THAT(second, Not(HasSubstr(R"("item":{"item")")));
  EXPECT_THAT(second, HasSubstr(R"("kind":"insert")"));
}

TEST_F(HistoryRoutes, AsOfATime) {
  switch_on();
  put("music", {{"pk", "a"}, {"x", "1"}});
  put("music", {{"pk", "a"}, {"x", "2"}});
  const std::string path = "/console/history/music/as-of";
  EXPECT_EQ(
      answer(path, R"({"key": {"pk": {"S": "a"}}, "at": "2027-01-15T08:00:01.500Z"})"),
      R"({"item":{"item":{"pk":{"S":"a"},"x":{"S":"1"}}},"until":"2027-01-15T08:00:02.000Z","next":null})");
  EXPECT_EQ(answer(path, R"({"key": {"pk": {"S": "a"}}, "at": "2027-01-15T09:00:00.999+01:00"})"),
            R"({"item":null,"until":"2027-01-15T08:00:01.000Z","next":null})");
  EXPECT_EQ(answer(path, R"({"key": {"pk": {"S": "a"}}, "at": "2027-01-15T08:00:02Z"})"),
            R"({"item":{"item":{"pk":{"S":"a"},"x":{"S":"2"}}},"until":null,"next":null})");
}

TEST_F(HistoryRoutes, SensitiveAttributesAreMaskedUntilAskedFor) {
  const std::string text(kPeople);
  const design::Loaded loaded = design::load(text, "people.yaml");
  ASSERT_TRUE(loaded.design);
  ASSERT_TRUE(db_.create_table(design::table_schema(*loaded.design)));
  ASSERT_TRUE(db_.govern_table({.table_name = "people", .design = text, .file_name = "people.yaml"}));
  switch_on("people");
  for (const char* email : {"anna@example.org", "ann@example.org"}) {
    put("people", {{"PK", "PERSON#1"}, {"id", "1"}, {"name", "Anna"}, {"email", email}});
  }
  const std::string key = R"({"key": {"PK": {"S": "PERSON#1"}}})";
  const std::string masked = answer("/console/history/people", key);
  EXPECT_THAT(masked, Not(HasSubstr("example.org")));
  EXPECT_THAT(masked, HasSubstr(R"("masked":["email"])"));
  EXPECT_THAT(masked, HasSubstr(R"("entity":"Person")"));
  const std::string shown = answer("/console/history/people?sensitive=shown", key);
  EXPECT_THAT(shown, HasSubstr("anna@example.org"));
  const std::string then = R"({"key": {"PK": {"S": "PERSON#1"}}, "at": "2027-01-15T08:00:01Z"})";
  EXPECT_THAT(answer("/console/history/people/as-of", then), Not(HasSubstr("example.org")));
  EXPECT_THAT(answer("/console/history/people/as-of?sensitive=shown", then), HasSubstr("anna@example.org"));
}

TEST_F(HistoryRoutes, WhatIsRefused) {
  const auto refusal = [&](std::string_view path, std::string_view body) {
    const http::Response response = ask(path, body);
    return std::to_string(response.status) + " " + response.body;
  };
  const std::string key = R"({"key": {"pk": {"S": "a"}}})";
  EXPECT_THAT(refusal("/console/history/music", key), HasSubstr("409"));
  EXPECT_THAT(refusal("/console/history/music", key), HasSubstr("point-in-time recovery, which is off"));
  switch_on();
  EXPECT_THAT(refusal("/console/history/nothing", key), HasSubstr("404"));
  EXPECT_THAT(refusal("/console/history", key), HasSubstr("404"));
  EXPECT_THAT(refusal("/console/history/music/x", key), HasSubstr("404"));
  EXPECT_EQ(ask("/console/history/music", "", "GET").status, 405);
  EXPECT_THAT(refusal("/console/history/music", "{}"), HasSubstr("400"));
  EXPECT_THAT(refusal("/console/history/music", R"({"key": {"pk": {"N": "1"}}})"), HasSubstr("400"));
  EXPECT_THAT(refusal("/console/history/music", R"({"key": {"pk": {"S": "a"}}, "before": "x"})"),
              HasSubstr("before must be the `next` of an earlier answer"));
  EXPECT_THAT(refusal("/console/history/music", R"({"key": {"pk": {"S": "a"}}, "limit": 101})"),
              HasSubstr("400"));
  EXPECT_THAT(refusal("/console/history/music/as-of", R"({"key": {"pk": {"S": "a"}}, "at": "yesterday"})"),
              HasSubstr("at must be a time"));
  EXPECT_THAT(
      refusal("/console/history/music/as-of", R"({"key": {"pk": {"S": "a"}}, "at": "2020-01-01T00:00:00Z"})"),
      HasSubstr("422"));
}

}  // namespace
}  // namespace tavola::server
