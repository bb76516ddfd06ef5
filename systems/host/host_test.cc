// The parts of an application, each alone. tests/systems runs whole applications.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "systems/host/assets.h"
#include "systems/host/event_room.h"
#include "systems/host/options.h"
#include "systems/host/sessions.h"

namespace tavola::systems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Assets, TheBestFormThatAClientAcceptsIsSent) {
  EXPECT_EQ(accepted_form("gzip, deflate, br"), "br");
  EXPECT_EQ(accepted_form("gzip;q=1.0, br;q=0"), "gzip");
  EXPECT_EQ(accepted_form("br;q=0.0,gzip;q=0"), "");
  EXPECT_EQ(accepted_form("br;q=0.5"), "br");
  EXPECT_EQ(accepted_form("xbr"), "");
  EXPECT_EQ(accepted_form(""), "");
}

http::Request get_request(std::string_view path, std::span<const http::Header> headers = {}) {
  http::Request request;
  request.method = "GET";
  request.path = path;
  request.headers = headers;
  return request;
}

TEST(Assets, FilesWithAHashAreKeptForeverAndViewsAreAskedForAgain) {
  const Asset assets[] = {
      {.path = "/index.html", .type = "text/html", .hash = "aa", .plain = {"plain", 5}, .gzip = {"gz", 2}},
      {.path = "/assets/page-bb.js", .type = "text/javascript", .hash = "bb", .plain = {"js", 2}}};
  const http::Header headers[] = {{"Accept-Encoding", "gzip"}};
  const auto page = asset_answer(get_request("/products", headers), assets);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "gz");
  EXPECT_THAT(page->headers, HasSubstr("Cache-Control: no-cache"));
  EXPECT_THAT(page->headers, HasSubstr("Content-Encoding: gzip"));
  EXPECT_THAT(page->headers, HasSubstr("ETag: \"aa-gzip\""));
  const auto script = asset_answer(get_request("/assets/page-bb.js"), assets);
  ASSERT_TRUE(script);
  EXPECT_THAT(script->headers, HasSubstr("immutable"));
  EXPECT_THAT(script->headers, Not(HasSubstr("Content-Encoding")));
  const http::Header known[] = {{"If-None-Match", "W/\"bb\""}};
  EXPECT_EQ(asset_answer(get_request("/assets/page-bb.js", known), assets)->status, 304);
  EXPECT_FALSE(asset_answer(get_request("/assets/missing.js"), assets));
  http::Request post = get_request("/products");
  post.method = "POST";
  EXPECT_FALSE(asset_answer(post, assets));
}

TEST(Sessions, EndWhenTheyAreUnusedAndAtLastAnyway) {
  TestClock clock;
  Sessions sessions(clock, Random::system(),
                    {.idle = std::chrono::seconds(10), .whole = std::chrono::seconds(25)});
  const std::string id = sessions.begin({.sub = "anna"});
  for (int i = 0; i < 3; ++i) {
    clock.advance(std::chrono::seconds(8));
    ASSERT_TRUE(sessions.find(id)) << i;
  }
  clock.advance(std::chrono::seconds(8));
  EXPECT_FALSE(sessions.find(id)) << "it is older than a session may be";
  const std::string idle = sessions.begin({.sub = "ben"});
  clock.advance(std::chrono::seconds(11));
  EXPECT_FALSE(sessions.find(idle));
  EXPECT_FALSE(sessions.find(""));
}

TEST(Sessions, TheOneThatIsUnusedForTheLongestTimeMakesRoom) {
  TestClock clock;
  Sessions sessions(clock, Random::system(), {.count = 2});
  const std::string first = sessions.begin({.sub = "a"});
  clock.advance(std::chrono::seconds(1));
  const std::string second = sessions.begin({.sub = "b"});
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(sessions.find(first));
  clock.advance(std::chrono::seconds(1));
  const std::string third = sessions.begin({.sub = "c"});
  EXPECT_TRUE(sessions.find(first));
  EXPECT_FALSE(sessions.find(second));
  EXPECT_EQ(sessions.find(third)->who.sub, "c");
  sessions.end(third);
  EXPECT_FALSE(sessions.find(third));
}

TEST(AttemptLimit, EachSenderHasAFewAttemptsInAPeriod) {
  TestClock clock;
  AttemptLimit limit(clock, 2, std::chrono::seconds(60));
  EXPECT_EQ(limit.note("a").count(), 0);
  EXPECT_EQ(limit.note("a").count(), 0);
  EXPECT_EQ(limit.note("a").count(), 60);
  EXPECT_EQ(limit.note("b").count(), 0);
  clock.advance(std::chrono::seconds(60));
  EXPECT_EQ(limit.note("a").count(), 0);
}

TEST(Cookies, AreFoundByTheirWholeName) {
  EXPECT_EQ(cookie_of("a=1; tavola=xyz; b=2", "tavola"), "xyz");
  EXPECT_EQ(cookie_of("xtavola=1; tavola-other=2", "tavola"), "");
  EXPECT_EQ(cookie_of("", "tavola"), "");
}

TEST(Options, AreReadInBothFormsAndRefusedWithAReason) {
  HostOptions options;
  const std::vector<Option> known = host_options(options);
  const std::vector<std::string> arguments{"--data=here", "report", "--port", "8014", "--dev-login"};
  const auto words = read_options(arguments, known);
  ASSERT_TRUE(words) << words.error().message();
  EXPECT_THAT(*words, ElementsAre("report"));
  EXPECT_EQ(options.data, "here");
  EXPECT_EQ(options.port, 8014);
  EXPECT_TRUE(options.dev_login);
  const auto wrong = [&](std::vector<std::string> given) {
    return read_options(given, known).error().message();
  };
  EXPECT_THAT(wrong({"--port"}), HasSubstr("needs a value"));
  EXPECT_THAT(wrong({"--port", "70000"}), HasSubstr("0 to 65535"));
  EXPECT_THAT(wrong({"--dev-login=yes"}), HasSubstr("takes no value"));
  EXPECT_THAT(wrong({"--nothing"}), HasSubstr("--help"));
}

TEST(Options, ADevelopmentLoginNeedsThisMachine) {
  EXPECT_TRUE(check_host_options({.host = "127.0.0.1", .dev_login = true}));
  EXPECT_THAT(check_host_options({.host = "0.0.0.0", .dev_login = true}).error().message(),
              HasSubstr("--dev-login"));
  EXPECT_THAT(check_host_options({.host = "0.0.0.0"}).error().message(), HasSubstr("--tls-cert"));
  EXPECT_FALSE(check_host_options({.in_memory = true, .endpoint = "http://localhost:8000"}));
}

// Keeps the body of an answer.
struct KeptAnswer final : http::ReplyTarget {
  void reply(http::Response response) override { body = std::move(response.body); }
  void dropped() override { body = "dropped"; }
  std::string body;
};

TEST(EventRoom, APageGetsWhatCameSinceItsLastEvent) {
  EventRoom room;
  KeptAnswer fresh;
  room.wait("", http::Reply(fresh));  // a page that begins learns where it is
  ASSERT_THAT(fresh.body, HasSubstr("id: "));
  const std::string seen =
      fresh.body.substr(fresh.body.find("id: ") + 4, fresh.body.rfind("\n\n") - fresh.body.find("id: ") - 4);
  KeptAnswer held;
  room.wait(seen, http::Reply(held));
  EXPECT_EQ(held.body, "");
  room.publish("changed", "{\"shop\":\"s1\"}");
  EXPECT_THAT(held.body, HasSubstr("event: changed\ndata: {\"shop\":\"s1\"}\n\n"));
  KeptAnswer late;
  room.wait(seen, http::Reply(late));
  EXPECT_THAT(late.body, HasSubstr("event: changed"));
  KeptAnswer last;
  room.close();
  room.wait(seen + "9", http::Reply(last));
  EXPECT_EQ(last.body, "retry: 1000\n\n");
}

}  // namespace
}  // namespace tavola::systems
