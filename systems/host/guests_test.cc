// Tests who is asked to log in and what a person may do, on a real design in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/pages/page_answers.h"
#include "systems/host/application.h"
#include "systems/host/rights.h"

namespace tavola::systems {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kShelf = R"(design: 1
name: shelf
table: { name: shelf, hash: PK, range: SK }
entities:
  Book:
    key: { PK: "BOOK#<book>", SK: METADATA }
    attributes: { book: { type: string, required: true }, title: string }
  Note:
    key: { PK: "USER#<user>", SK: "NOTE#<book>" }
    attributes: { user: { type: string, required: true }, book: { type: string, required: true } }
patterns:
  getBook: { get: Book }
  getNote: { get: Note }
operations:
  addBook: { steps: [{ put: Book }] }
  addNote: { steps: [{ put: Note }] }
roles:
  everyone: { read: [Book], run: [getBook] }
  reader: { is: logged-in, extends: everyone, run: [getNote, addNote], own: user }
  editor: { is: editor, extends: reader, run: [addBook] }
)";

struct AnswerOf final : http::ReplyTarget {
  void reply(http::Response response) override { status = response.status; }
  void dropped() override {}
  int status = 0;
};

class Shelf : public ::testing::Test {
 protected:
  Shelf() : log_(server::LogFormat::Text) {
    options_.in_memory = true;
    auto opened =
        SystemDesign::open({.text = kShelf, .file = "shelf.yaml", .options = options_, .log = log_});
    EXPECT_TRUE(opened) << opened.error().message();
    design_ = *std::move(opened);
  }

  int status_of(Guests guests, std::string_view method, std::string_view path, std::string_view query) {
    Application application({.name = "shelf", .design = *design_, .assets = {}, .guests = guests});
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    AnswerOf answer;
    application.answer(request, http::Reply(answer));
    return answer.status;
  }

  std::string rights_of(const design::Identity& who) {
    const http::Request request;
    return rights_page(*design_).answer({request, who}).body;
  }

  server::Log log_;
  HostOptions options_;
  std::unique_ptr<SystemDesign> design_;
};

TEST_F(Shelf, GuestsReadWhatTheRolesLetEverybodyRead) {
  EXPECT_EQ(status_of(Guests::MayRead, "GET", "/v1/shelf/getBook", "book=b1"), 404) << "there is none";
  EXPECT_EQ(status_of(Guests::MayRead, "GET", "/v1/shelf/getNote", "user=anna&book=b1"), 401);
  EXPECT_EQ(status_of(Guests::MayRead, "POST", "/v1/shelf/addBook", ""), 401);
  EXPECT_EQ(status_of(Guests::LogIn, "GET", "/v1/shelf/getBook", "book=b1"), 401);
}

TEST_F(Shelf, GuestsSendRequestsOnlyToAddressesThatEverybodyMayUse) {
  const auto answer = [](const Visit& visit) {
    return http::Response{.status = visit.who.sub.empty() ? 200 : 500};
  };
  Application application(
      {.name = "shelf",
       .design = *design_,
       .assets = {},
       .routes = {{.method = "POST", .path = "/offers", .answer = answer, .access = Access::Everybody},
                  {.method = "POST", .path = "/api/orders", .answer = answer}},
       .guests = Guests::MayRead});
  const auto status_of = [&](std::string_view method, std::string_view path) {
    http::Request request;
    request.method = method;
    request.path = path;
    AnswerOf answered;
    application.answer(request, http::Reply(answered));
    return answered.status;
  };
  EXPECT_EQ(status_of("POST", "/offers"), 200);
  EXPECT_EQ(status_of("GET", "/offers"), 405);
  EXPECT_EQ(status_of("POST", "/api/orders"), 401);
  EXPECT_EQ(status_of("POST", "/v1/shelf/addBook"), 401);
}

TEST_F(Shelf, PagesMayAskOneOtherOriginAtMost) {
  http::Response response;
  http::protect(response, "http://127.0.0.1:8002");
  EXPECT_THAT(response.headers, HasSubstr("; connect-src 'self' http://127.0.0.1:8002\r\n"));
}

TEST_F(Shelf, RightsNameWhatAPersonMayDoAndWithWhoseItems) {
  EXPECT_EQ(rights_of({}), R"({"getBook":"all","read:Book":"all"})");
  EXPECT_EQ(rights_of({.sub = "anna"}),
            R"({"getBook":"all","getNote":"own","addNote":"own","read:Book":"all"})");
  EXPECT_THAT(rights_of({.sub = "ben", .groups = {"editor"}}), HasSubstr(R"("addBook":"all")"));
}

}  // namespace
}  // namespace tavola::systems
