// The files of pages, and events for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/pages/assets.h"
#include "http/pages/event_room.h"

namespace tavola::http {
namespace {

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

Request get_request(std::string_view path, std::span<const Header> headers = {}) {
  Request request;
  request.method = "GET";
  request.path = path;
  request.headers = headers;
  return request;
}

TEST(Assets, FilesWithAHashAreKeptForeverAndViewsAreAskedForAgain) {
  const Asset assets[] = {
      {.path = "/index.html", .type = "text/html", .hash = "aa", .plain = {"plain", 5}, .gzip = {"gz", 2}},
      {.path = "/assets/page-bb.js", .type = "text/javascript", .hash = "bb", .plain = {"js", 2}}};
  const Header headers[] = {{"Accept-Encoding", "gzip"}};
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
  const Header known[] = {{"If-None-Match", "W/\"bb\""}};
  EXPECT_EQ(asset_answer(get_request("/assets/page-bb.js", known), assets)->status, 304);
  EXPECT_FALSE(asset_answer(get_request("/assets/missing.js"), assets));
  // Names of tables may have dots, and the views of a table have its name in their paths.
  EXPECT_EQ(asset_answer(get_request("/t/my.table", headers), assets)->body, "gz");
  EXPECT_FALSE(asset_answer(get_request("/robots.txt"), assets));
  Request post = get_request("/products");
  post.method = "POST";
  EXPECT_FALSE(asset_answer(post, assets));
}

// Keeps the body of an answer.
struct KeptAnswer final : ReplyTarget {
  void reply(Response response) override { body = std::move(response.body); }
  void dropped() override { body = "dropped"; }
  std::string body;
};

TEST(EventRoom, APageGetsWhatCameSinceItsLastEvent) {
  EventRoom room;
  KeptAnswer fresh;
  room.wait("", Reply(fresh));  // a page that begins learns where it is
  ASSERT_THAT(fresh.body, HasSubstr("id: "));
  const std::string seen =
      fresh.body.substr(fresh.body.find("id: ") + 4, fresh.body.rfind("\n\n") - fresh.body.find("id: ") - 4);
  KeptAnswer held;
  room.wait(seen, Reply(held));
  EXPECT_EQ(held.body, "");
  room.publish("changed", "{\"shop\":\"s1\"}");
  EXPECT_THAT(held.body, HasSubstr("event: changed\ndata: {\"shop\":\"s1\"}\n\n"));
  KeptAnswer late;
  room.wait(seen, Reply(late));
  EXPECT_THAT(late.body, HasSubstr("event: changed"));
  KeptAnswer last;
  room.close();
  room.wait(seen + "9", Reply(last));
  EXPECT_EQ(last.body, "retry: 1000\n\n");
}

}  // namespace
}  // namespace tavola::http
