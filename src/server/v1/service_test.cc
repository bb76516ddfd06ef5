// Designs over HTTP, without the network: requests in, responses out.
#include "server/v1/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/load.h"
#include "design/model/plain_json.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kMusic = R"(design: 1
name: music
title: Songs & <artists>
table: { name: music, hash: PK, range: SK }
indexes:
  byYear: { hash: yearKey, range: fameKey, project: all }
entities:
  Song:
    key: { PK: ARTIST#<artist>, SK: SONG#<title> }
    rules: { hasName: { that: title <> artist, message: A song is not named like its artist. } }
    attributes:
      artist: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: integer, min: 1860, doc: When it came out., example: 1965 }
      plays: { type: integer, default: 0 }
      contract: { type: string, sensitive: true, max_length: 5 }
      likeOf: { type: string, ref: Artist }
      at: timestamp
    lifecycles:
      fame:
        in: byYear.range
        states:
          NEW: { key: NEW#, initial: true }
          HIT: { key: HIT#<at> }
        transitions:
          celebrate: { from: [NEW], to: HIT, set: { at: now() } }
    index: { byYear: { hash: Y#<year>, range: lifecycle(fame) } }
  Artist:
    key: { PK: ARTIST#<likeOf>, SK: META }
    ids: { likeOf: string }
    attributes: { likes: { type: integer, default: 0 } }
copies:
  likes: { kind: counter, from: Song, to: Artist, when: exists(likeOf), count: likes }
patterns:
  song: { get: Song }
  hits: { query: Song, via: byYear, hash: Y#<year>, range: from HIT#<since> through HIT#<until> }
  rise: { transition: Song.fame }
  charts: { status: planned, doc: For later. }
  songsOf: { query: Song, via: table, hash: ARTIST#<artist>, range: begins_with SONG# }
operations:
  addSong: { steps: [{ put: Song, as: song, exists: false }], returns: song }
  nameArtist: { steps: [{ put: Artist, if_exists: return }] }
  play:
    steps:
      - { update: Song, set: { plays: plays + 1 }, require: { that: plays < 2, otherwise: WORN_OUT } }
)";

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() : database_(open_in_memory()), service_(parts()) {
    EXPECT_TRUE(service_.runner(service_.designs().front(), *database_).prepare_table());
  }

  static DesignService::Parts parts() {
    design::Loaded loaded = design::load(kMusic, "music.yaml");
    for (const design::Diagnostic& problem : loaded.diagnostics) {
      if (problem.severity == design::Severity::Error) ADD_FAILURE() << to_text(problem, kMusic);
    }
    DesignService::Parts parts{.designs = {}, .secret = "of this test"};
    parts.designs.push_back(*std::move(loaded.design));
    return parts;
  }

  http::Response send(std::string_view method, std::string_view target, std::string_view body = {},
                      std::string_view type = "application/json") {
    const http::Header headers[] = {{"content-type", type}};
    const std::size_t question = target.find('?');
    http::Request request{};
    request.method = method;
    request.path = target.substr(0, question);
    request.body = body;
    request.headers = headers;
    if (question != std::string_view::npos) request.query = target.substr(question + 1);
    return service_.answer(request, *database_);
  }

  Map json(const http::Response& response) {
    const Result<Value> value = design::parse_plain_json(response.body);
    EXPECT_TRUE(value && value->type() == Type::Map) << response.body;
    return value ? value->map() : Map();
  }

  void add(std::string_view title) {
    const std::string body =
        R"({"artist": "Nina Simone", "title": ")" + std::string(title) + R"(", "year": 1965})";
    EXPECT_EQ(send("POST", "/v1/music/addSong", body).status, 200);
  }

  std::unique_ptr<Database> database_;
  DesignService service_;
};

TEST_F(ServiceTest, AnOperationAnswersWhatItReturns) {
  const auto response = send("POST", "/v1/music/addSong", R"({"artist": "Nina", "title": "Sinnerman"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(json(response), (Map{{"artist", "Nina"}, {"title", "Sinnerman"}, {"plays", 0}, {"fame", "NEW"}}));
}

TEST_F(ServiceTest, AnItemThatExistsIsAnsweredWith200) {
  const auto created = send("POST", "/v1/music/nameArtist", R"({"likeOf": "Nina"})");
  const auto found = send("POST", "/v1/music/nameArtist", R"({"likeOf": "Nina"})");
  const auto replayed = [](const http::Response& response) {
    return response.headers.contains("Idempotency-Replayed: true");
  };
  EXPECT_EQ(std::pair(created.status, replayed(created)), std::pair(200, false));
  EXPECT_EQ(std::pair(found.status, replayed(found)), std::pair(200, true));
  EXPECT_EQ(found.body, created.body);
  EXPECT_THAT(send("GET", "/v1/openapi.json").body, HasSubstr("the item existed and is returned as it is"));
}

TEST_F(ServiceTest, ADesignThatTakesOverItsTableAsksToTryAgain) {
  DesignService::Parts adopting = parts();
  adopting.why_not_yet = [](const design::Design& design) { return design.name + ": 5 of 10 items"; };
  const DesignService service(std::move(adopting));
  http::Request request{};
  request.method = "GET";
  request.path = "/v1/music/songsOf";
  request.query = "artist=Nina";
  const http::Response response = service.answer(request, *database_);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(json(response).at("type"), Value("urn:tavola:adopting"));
  EXPECT_EQ(json(response).at("detail"), Value("music: 5 of 10 items"));
  request.path = "/v1/music/docs.md";
  EXPECT_EQ(service.answer(request, *database_).status, 200);
}

TEST_F(ServiceTest, AnOperationThatReturnsNothingHasNoContent) {
  add("Sinnerman");
  const auto response = send("POST", "/v1/music/play", R"({"artist": "Nina Simone", "title": "Sinnerman"})");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
}

TEST_F(ServiceTest, ARefusalIsTheNameOfAProblem) {
  add("Sinnerman");
  const auto again = send("POST", "/v1/music/addSong", R"({"artist": "Nina Simone", "title": "Sinnerman"})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.content_type, "application/problem+json");
  EXPECT_EQ(json(again)["refusal"], Value("ALREADY_EXISTS"));
  EXPECT_EQ(json(again)["status"], Value(409));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(send("POST", "/v1/music/play", R"({"artist": "Nina Simone", "title": "Sinnerman"})").status,
              204);
  }
  const auto worn = send("POST", "/v1/music/play", R"({"artist": "Nina Simone", "title": "Sinnerman"})");
  EXPECT_EQ(worn.status, 409);
  EXPECT_EQ(json(worn)["refusal"], Value("WORN_OUT"));
  const auto missing = send("POST", "/v1/music/play", R"({"artist": "Nina Simone", "title": "Feelings"})");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(json(missing)["refusal"], Value("NOT_FOUND"));
}

TEST_F(ServiceTest, WhatTheDesignAllowsNoItemToBeIsUnprocessable) {
  const auto named = send("POST", "/v1/music/addSong", R"({"artist": "Nina", "title": "Nina"})");
  EXPECT_EQ(named.status, 422);
  EXPECT_EQ(json(named)["refusal"], Value("hasName"));
  EXPECT_THAT(named.body, HasSubstr("A song is not named like its artist."));
  const auto like =
      send("POST", "/v1/music/addSong", R"({"artist": "Nina", "title": "Feelings", "likeOf": "Bach"})");
  EXPECT_EQ(like.status, 422);
  EXPECT_EQ(json(like)["refusal"], Value("UNKNOWN_REFERENCE"));
  EXPECT_EQ(json(like)["parameter"], Value("likeOf"));
}

TEST_F(ServiceTest, SensitiveValuesAreNotShown) {
  const auto answer =
      send("POST", "/v1/music/addSong", R"({"artist": "Nina", "title": "Feelings", "contract": 4711})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(json(answer)["detail"], Value("contract must be a text"));
  EXPECT_THAT(send("GET", "/v1/openapi.json").body, HasSubstr(R"("x-sensitive":true)"));
}

TEST_F(ServiceTest, AGetAnswersTheEntityOrNotFound) {
  add("Sinnerman");
  const auto found = send("GET", "/v1/music/song?artist=Nina+Simone&title=Sinnerman");
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(json(found)["year"], Value(1965));
  const auto missing = send("GET", "/v1/music/song?artist=Nina%20Simone&title=Feelings");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(json(missing)["type"], Value("urn:tavola:not-found"));
}

TEST_F(ServiceTest, PagesFollowEachOtherByTheirTokens) {
  for (const char* title : {"a", "b", "c"}) add(title);
  std::string target = "/v1/music/songsOf?artist=Nina+Simone&limit=2";
  Map page = json(send("GET", target));
  EXPECT_EQ(page["items"].list().size(), 2);
  ASSERT_TRUE(page["next"].is_string());
  page = json(send("GET", target + "&page=" + page["next"].string()));
  ASSERT_EQ(page["items"].list().size(), 1);
  EXPECT_EQ(page["items"].list().front().map()["title"], Value("c"));
  EXPECT_EQ(send("GET", target + "&page=nonsense").status, 400);
}

TEST_F(ServiceTest, ABadParameterIsNamed) {
  struct Case {
    std::string_view method, target, body, parameter;
  };
  const std::string long_target = "/v1/music/songsOf?artist=" + std::string(2048, 'x');
  for (const Case& bad :
       {Case{"GET", "/v1/music/song?artist=x", "", "title"},
        Case{"GET", "/v1/music/songsOf?artist=x&limit=0", "", "limit"},
        Case{"GET", "/v1/music/songsOf?artist=x&artist=y", "", "artist"},
        Case{"GET", "/v1/music/songsOf?artist=x&artits=y", "", "artits"},
        Case{"GET", "/v1/music/songsOf?artist=x&page=y", "", "page"},
        Case{"GET", "/v1/music/songsOf?artist=%ff", "", "artist"},
        Case{"GET", "/v1/music/songsOf?artist=x&limit=%ff", "", "limit"},
        Case{"POST", "/v1/music/addSong", R"({"artist": "x", "title": "y", "year": 1700})", "year"},
        Case{"POST", "/v1/music/addSong", R"({"artist": "x", "title": 5})", "title"},
        Case{"POST", "/v1/music/addSong", R"({"artist": "x", "title": "y", "year": 1e400})", "year"},
        Case{"POST", "/v1/music/addSong", R"({"artist": "x", "title": "", "year": 1965})", "title"},
        Case{"GET", "/v1/music/songsOf?artist=", "", "artist"}, Case{"GET", long_target, "", "artist"},
        Case{"GET", "/v1/music/hits?year=1965&since=2024-02-01&until=2024-01-01", "", "until"}}) {
    const auto response = send(bad.method, bad.target, bad.body);
    EXPECT_EQ(response.status, 400) << bad.target;
    EXPECT_EQ(json(response)["parameter"], Value(bad.parameter)) << response.body;
    EXPECT_THAT(response.body, Not(HasSubstr("\xF4\x8F\xBF\xBF")));
  }
}

TEST_F(ServiceTest, ABodyIsAJsonObjectAndSaysSo) {
  EXPECT_EQ(send("POST", "/v1/music/play", R"({"artist": )").status, 400);
  EXPECT_EQ(send("POST", "/v1/music/play", "[]").status, 400);
  EXPECT_EQ(send("POST", "/v1/music/play", "{}", "text/plain").status, 415);
  EXPECT_EQ(send("POST", "/v1/music/play", "{}", "application/json; charset=utf-8").status,
            400);  // parameters are missing
}

TEST_F(ServiceTest, WhatIsNotThereHasANeighbour) {
  EXPECT_THAT(send("GET", "/v1/music/songOf").body, HasSubstr("songsOf"));
  EXPECT_THAT(send("GET", "/v1/musik/songsOf").body, HasSubstr("music"));
  for (const char* target : {"/v1/music/song/more", "/v1/music/song/", "/v1//music", "/v1/openapi.json/more",
                             "/v1/music/docs.md/"}) {
    const auto response = send("GET", target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_EQ(json(response)["type"], Value("urn:tavola:unknown-name")) << target;
  }
}

// Responses are JSON, which is UTF-8, whatever the request.
TEST_F(ServiceTest, WhatIsNotUtf8IsNotRepeated) {
  EXPECT_EQ(send("GET", "/v1/musi\xff/song").status, 404);
  EXPECT_EQ(send("GET", "/v1/music/son\xff").status, 404);
  EXPECT_EQ(send("GET", "/v1/music/song?titl\xff=x").status, 400);
  EXPECT_EQ(send("GET", "/v1/music/song?titl%ff=x").status, 400);
  for (const char* target : {"/v1/musi\xff/song", "/v1/music/son\xff", "/v1/music/song?titl%ff=x"}) {
    EXPECT_THAT(send("GET", target).body, Not(HasSubstr("\xff")));
  }
}

TEST_F(ServiceTest, ATableThatIsGoneIsToldByItsName) {
  ASSERT_TRUE(database_->delete_table({.table_name = "music"}));
  for (const auto& response :
       {send("GET", "/v1/music/song?artist=x&title=y"), send("GET", "/v1/music/songsOf?artist=x"),
        send("POST", "/v1/music/addSong", R"({"artist": "x", "title": "y"})")}) {
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(json(response)["type"], Value("urn:tavola:no-table"));
    EXPECT_THAT(response.body, HasSubstr("The table music"));
    EXPECT_THAT(response.body, HasSubstr("restart it, or send the CreateTable"));
  }
}

TEST_F(ServiceTest, NumbersKeepAllTheirDigits) {
  const auto response =
      send("POST", "/v1/music/addSong",
           R"({"artist": "x", "title": "y", "plays": 12345678901234567890123456789012345678})");
  EXPECT_THAT(response.body, HasSubstr(R"("plays":12345678901234567890123456789012345678)"));
}

TEST_F(ServiceTest, WhatHasNoRequestIsNotAnswered) {
  for (const char* name : {"rise", "charts"}) {
    const auto response = send("GET", std::string("/v1/music/") + name);
    EXPECT_EQ(response.status, 404) << response.body;
  }
}

TEST_F(ServiceTest, TheWrongMethodIsToldTheRightOne) {
  const auto pattern = send("POST", "/v1/music/song", "{}");
  EXPECT_EQ(pattern.status, 405);
  EXPECT_THAT(pattern.headers, HasSubstr("Allow: GET"));
  const auto operation = send("GET", "/v1/music/play");
  EXPECT_EQ(operation.status, 405);
  EXPECT_THAT(operation.headers, HasSubstr("Allow: POST"));
  EXPECT_EQ(send("DELETE", "/v1/").status, 405);
}

TEST_F(ServiceTest, PagesForPeopleNameEverythingAndNeedNothingElse) {
  const auto all = send("GET", "/v1/");
  EXPECT_EQ(all.status, 200);
  EXPECT_THAT(all.body, HasSubstr("href=\"/v1/music/\""));
  EXPECT_THAT(all.body, HasSubstr("Songs &amp; &lt;artists&gt;"));
  EXPECT_THAT(all.body, HasSubstr("<p>2 entities, "));
  const auto one = send("GET", "/v1/music/");
  for (const char* name : {"songsOf", "addSong", "artist", "When it came out."}) {
    EXPECT_THAT(one.body, HasSubstr(name));
  }
  EXPECT_THAT(one.body, HasSubstr("GET /v1/music/hits?year=1965&amp;since="));
  EXPECT_THAT(one.body, Not(HasSubstr("GET /v1/music/charts")));
  EXPECT_THAT(one.body, Not(HasSubstr("<script")));
  EXPECT_THAT(one.body, Not(HasSubstr("src=")));
  EXPECT_EQ(send("GET", "/v1/music/docs.md").content_type, "text/markdown; charset=utf-8");
}

TEST_F(ServiceTest, TheOpenApiDocumentHasEveryNameAndEveryRefusal) {
  const auto response = send("GET", "/v1/openapi.json");
  const Map document = json(response);
  EXPECT_EQ(document.at("openapi"), Value("3.1.0"));
  const Map& paths = document.at("paths").map();
  ASSERT_EQ(paths.size(), 6);
  const Map& play = paths.at("/v1/music/play").map().at("post").map();
  EXPECT_TRUE(play.at("responses").map().contains("204"));
  const std::string refusals = design::to_plain_json(play.at("responses").map().at("409"));
  EXPECT_THAT(refusals, HasSubstr("WORN_OUT"));
  EXPECT_THAT(design::to_plain_json(play.at("responses").map().at("404")), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(design::to_plain_json(play.at("responses").map().at("422")), HasSubstr("hasName"));
  EXPECT_THAT(design::to_plain_json(play.at("responses").map().at("422")),
              Not(HasSubstr("UNKNOWN_REFERENCE")));
  const Map& add = paths.at("/v1/music/addSong").map().at("post").map();
  EXPECT_THAT(design::to_plain_json(add.at("responses").map().at("422")), HasSubstr("UNKNOWN_REFERENCE"));
  const Map& song = document.at("components").map().at("schemas").map().at("music.Song").map();
  EXPECT_EQ(song.at("properties").map().at("year").map().at("minimum"), Value(1860));
  EXPECT_EQ(song.at("required").list().size(), 2);
  EXPECT_EQ(song.at("properties").map().at("fame").map().at("enum"), Value(List{"NEW", "HIT"}));
  // Either end of the range may be a day.
  const Map& until = paths.at("/v1/music/hits").map().at("get").map().at("parameters").list()[2].map();
  EXPECT_EQ(until.at("name"), Value("until"));
  EXPECT_EQ(until.at("schema").map().at("anyOf").list()[1].map().at("format"), Value("date"));
}

// Every reference must resolve.
TEST_F(ServiceTest, TheOpenApiDocumentRefersToWhatItHas) {
  const std::string text = send("GET", "/v1/openapi.json").body;
  const Value document = *design::parse_plain_json(text);
  const Map& components = document.map().at("components").map();
  constexpr std::string_view kReference = "\"#/components/";
  std::size_t count = 0;
  for (std::size_t at = text.find(kReference); at != std::string::npos; at = text.find(kReference, at + 1)) {
    const std::string path =
        text.substr(at + kReference.size(), text.find('"', at + 1) - at - kReference.size());
    const std::size_t slash = path.find('/');
    EXPECT_TRUE(components.at(path.substr(0, slash)).map().contains(path.substr(slash + 1))) << path;
    ++count;
  }
  EXPECT_GT(count, 5);
}

TEST(Problems, TellWhatToDoNext) {
  const auto not_signed =
      to_response(problem_of(Error(ErrorCode::MissingAuthenticationToken, "no signature")));
  EXPECT_EQ(not_signed.status, 401);
  EXPECT_THAT(not_signed.headers, HasSubstr("WWW-Authenticate: AWS4-HMAC-SHA256"));
  const auto busy = to_response(problem_of(Error(ErrorCode::TransactionConflict, "busy")));
  EXPECT_EQ(busy.status, 503);
  EXPECT_THAT(busy.headers, HasSubstr("Retry-After"));
}

TEST(Paths, OnlyV1IsOurs) {
  EXPECT_TRUE(is_design_path("/v1"));
  EXPECT_TRUE(is_design_path("/v1/x/y"));
  EXPECT_FALSE(is_design_path("/v12"));
  EXPECT_FALSE(is_design_path("/"));
}

}  // namespace
}  // namespace tavola::server
