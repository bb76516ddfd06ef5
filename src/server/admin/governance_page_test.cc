#include "server/admin/governance_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/items/table_schema.h"
#include "design/load.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;

constexpr const char* kDesign = R"yaml(design: 1
name: music
table: { name: music, hash: PK }
entities:
  Song:
    key: { PK: SONG#<song> }
    ids: { song: string }
    attributes:
      plays: { type: integer, min: 0 }
      state: { type: enum, values: [NEW, PLAYING], default: NEW }
      since: { type: timestamp(epoch_ms), auto: transition }
    lifecycles:
      play:
        in: state
        states: { NEW: { initial: true }, PLAYING: { stuck_after: 1s } }
        transitions: { play: { from: [NEW], to: PLAYING } }
)yaml";

class GovernancePage : public testing::Test {
 protected:
  GovernancePage() {
    design::Loaded loaded = design::load(kDesign, "music.yaml");
    EXPECT_TRUE(loaded.design);
    EXPECT_TRUE(database_->create_table(design::table_schema(*loaded.design)));
    EXPECT_TRUE(
        database_->govern_table({.table_name = "music", .design = kDesign, .file_name = "music.yaml"}));
    designs_.push_back(*std::move(loaded.design));
  }

  http::Response ask(std::string_view method, std::string_view path, std::string_view body = "") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    return governance_page(request, {designs_, *database_, adoptions_});
  }
  Result<PutItemResponse> put(const Item& item) {
    return database_->put_item({.table_name = "music", .item = *pack(item)});
  }

  std::unique_ptr<Database> database_ = open_in_memory();
  std::vector<design::Design> designs_;
  Log log_{LogFormat::Text};
  Adoptions adoptions_{*database_, Clock::system(), log_};
};

TEST_F(GovernancePage, ItsPathIsThatOfADesign) {
  EXPECT_EQ(design_of_governance_path("/admin/designs/music"), "music");
  EXPECT_EQ(design_of_governance_path("/admin/designs/music/requests"), "");
  EXPECT_EQ(design_of_governance_path("/v1/music"), "");
}

TEST_F(GovernancePage, TellsHowTheDesignIsKept) {
  const http::Response response = ask("GET", "/admin/designs/music");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            "{\"design\":\"music\",\"table\":\"music\",\"enforce\":\"strict\",\"adopting\":false,\"broken\":["
            "],\"stuck\":0,"
            "\"stuckItems\":[],\"unfinished\":0}\n");
}

TEST_F(GovernancePage, ChangesHowStrictly) {
  EXPECT_FALSE(put({{"PK", "SONG#1"}, {"plays", -1}}));
  EXPECT_THAT(ask("PUT", "/admin/designs/music", R"({"enforce": "warn"})").body,
              HasSubstr(R"("enforce":"warn")"));
  EXPECT_TRUE(put({{"PK", "SONG#1"}, {"plays", -1}}));
  const std::string body = ask("GET", "/admin/designs/music").body;
  EXPECT_THAT(body,
              HasSubstr(R"("rule":"Tavola: Song.plays must be ≥ 0 (was -1) [music.yaml:9]","writes":1)"));
  EXPECT_THAT(body, HasSubstr(R"("key":{"PK":{"S":"SONG#1"}})"));
}

TEST_F(GovernancePage, ListsWhatIsStuck) {
  ASSERT_TRUE(put({{"PK", "SONG#1"}}));
  ASSERT_TRUE(put({{"PK", "SONG#1"}, {"state", "PLAYING"}, {"since", 1'000'000}}));
  const std::string body = ask("GET", "/admin/designs/music").body;
  EXPECT_THAT(body, HasSubstr(R"("stuck":1,"stuckItems":[{"since":"1970-01-01T00:16:41Z","entity":"Song")"));
}

TEST_F(GovernancePage, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(ask("GET", "/admin/designs/poetry").status, 404);
  EXPECT_EQ(ask("DELETE", "/admin/designs/music").status, 405);
  for (const char* body : {"", "{}", R"({"enforce": "wrn"})", R"({"enforce": "off", "x": 1})", "[", "5",
                           "enforce: warn", "{enforce: warn}"}) {
    EXPECT_EQ(ask("PUT", "/admin/designs/music", body).status, 400) << body;
  }
  EXPECT_THAT(ask("GET", "/admin/designs/music").body, HasSubstr(R"("enforce":"strict")"));
}

}  // namespace
}  // namespace tavola::server
