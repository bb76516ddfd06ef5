#include "http/message.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/web_guard.h"

namespace tavola::http {
namespace {

class Recorder : public ReplyTarget {
 public:
  void reply(Response response) override { answers.push_back(std::move(response)); }
  void dropped() override { ++drops; }
  std::vector<Response> answers;
  int drops = 0;
};

TEST(Request, FindsHeadersInAnyCaseAndTakesTheFirst) {
  const Header headers[] = {{"Host", "a"}, {"X-Amz-Target", "first"}, {"x-amz-target", "second"}};
  Request request;
  request.headers = headers;
  EXPECT_EQ(request.header("x-amz-TARGET"), "first");
  EXPECT_EQ(request.header("host"), "a");
  EXPECT_EQ(request.header("hos"), "");
}

TEST(Response, HeadersCannotEndTheirLine) {
  Response response;
  response.add_header("a", "b");
  response.add_header("x", "1\r\nSet-Cookie: 2\x7f");
  EXPECT_EQ(response.headers, "a: b\r\nx: 1  Set-Cookie: 2 \r\n");
}

TEST(Reply, AnswersOnce) {
  Recorder recorder;
  {
    Reply reply(recorder);
    Reply moved(std::move(reply));
    moved(Response{.status = 201});
  }
  ASSERT_EQ(recorder.answers.size(), 1U);
  EXPECT_EQ(recorder.answers.front().status, 201);
  EXPECT_EQ(recorder.drops, 0);
}

TEST(Reply, IsDroppedOnce) {
  Recorder recorder;
  Recorder other;
  {
    Reply reply(recorder);
    reply = Reply(other);
    EXPECT_EQ(recorder.drops, 1);
    EXPECT_EQ(other.drops, 0);
  }
  EXPECT_EQ(recorder.drops, 1);
  EXPECT_EQ(other.drops, 1);
}

// ---- Accepted clients and pages (web_guard.h) ----

std::string verdict(const WebGuard& guard, std::vector<Header> headers, std::string_view path = "/") {
  Request request;
  request.method = "POST";
  request.path = path;
  request.headers = headers;
  const WebGuard::Verdict given = guard.judge(request);
  if (!given.refusal.empty()) return "refused";
  return given.allow_origin.empty() ? "served" : std::string(given.allow_origin);
}

TEST(WebGuard, ADotAllowsNamesOfOneWord) {
  WebGuard guard({.allowed_hosts = {"."}});
  guard.listens_on("127.0.0.1", "127.0.0.1:8000");
  EXPECT_EQ(verdict(guard, {{"host", "dynamodb-local:8000"}}), "served");
  EXPECT_EQ(verdict(guard, {{"host", "evil.example"}}), "refused");
  EXPECT_EQ(verdict(guard, {{"host", "."}}), "refused");
  EXPECT_TRUE(is_host_rule("."));
}

TEST(WebGuard, KnowsByWhatItListensOnHowTheServerIsCalled) {
  const std::vector<std::string_view> names{"localhost:8000",
                                            "LOCALHOST",
                                            "localhost.",
                                            "123456789012.ddb.localhost:8000",
                                            "127.0.0.1:8000",
                                            "127.8.8.8",
                                            "[::1]:8000",
                                            "[0:0::1]",
                                            "192.0.2.7:8000",
                                            "[2001:DB8::7]",
                                            "db.example:8000",
                                            "eu.db.example",
                                            "evil.example",
                                            "evil.localhost.example",
                                            "127.0.0.1.evil.example",
                                            "1.2.3.4.example",
                                            "evildb.example",
                                            "db.example.evil",
                                            "",
                                            "localhost:",
                                            "localhost:80a",
                                            "user@localhost",
                                            "a\"b",
                                            "[::1",
                                            "[::1]x",
                                            "[evil.example]",
                                            ".example"};
  struct Case {
    std::string_view host;
    std::string_view address;
    std::vector<std::string_view> called;
  };
  const std::vector<std::string_view> loopback{
      "localhost:8000", "LOCALHOST", "localhost.", "123456789012.ddb.localhost:8000",
      "127.0.0.1:8000", "127.8.8.8", "[::1]:8000", "[0:0::1]",
      "localhost:"};
  std::vector<std::string_view> anything = loopback;
  anything.insert(anything.end(), {"192.0.2.7:8000", "[2001:DB8::7]"});
  const Case cases[] = {{"127.0.0.1", "127.0.0.1:8000", loopback},
                        {"localhost", "[::1]:8000", loopback},
                        {"0.0.0.0", "0.0.0.0:8000", anything},
                        {"::", "[::]:8000", anything},
                        {"192.0.2.7", "192.0.2.7:8000", {"192.0.2.7:8000"}},
                        {"2001:db8::7", "[2001:db8::7]:8000", {"[2001:DB8::7]"}},
                        {"db.example", "192.0.2.7:8000", {"192.0.2.7:8000", "db.example:8000"}}};
  for (const Case& one : cases) {
    WebGuard guard({});
    guard.listens_on(one.host, one.address);
    for (const std::string_view name : names) {
      const bool is_called = std::ranges::find(one.called, name) != one.called.end();
      EXPECT_EQ(verdict(guard, {{"Host", name}}), is_called ? "served" : "refused")
          << one.host << " " << name;
    }
  }
}

TEST(WebGuard, TakesFurtherNames) {
  WebGuard guard({.allowed_hosts = {"DynamoDB-local", ".db.example", "192.0.2.9", "2001:DB8:0::9"}});
  guard.listens_on("127.0.0.1", "127.0.0.1:8000");
  for (const std::string_view name : {"dynamodb-local:8000", "DYNAMODB-LOCAL", "eu.db.example",
                                      "a.b.db.example", "192.0.2.9:80", "[2001:db8::9]:80", "localhost"}) {
    EXPECT_EQ(verdict(guard, {{"Host", name}}), "served") << name;
  }
  for (const std::string_view name : {"db.example", "evildb.example", "dynamodb-local.evil"}) {
    EXPECT_EQ(verdict(guard, {{"Host", name}}), "refused") << name;
  }
  EXPECT_EQ(verdict(guard, {}), "served");  // HTTP/1.0
  guard.allow_certified([](const std::string& host) { return host == "certified.example"; });
  EXPECT_EQ(verdict(guard, {{"Host", "certified.example:443"}}), "served");
  for (const std::string_view rule : {"db", "db.example", ".example", "192.0.2.9", "DB", "::1"}) {
    EXPECT_TRUE(is_host_rule(rule)) << rule;
  }
  for (const std::string_view rule : {"", "..", "*", "*.example", "http://db", "db:8000", "a b", "a/b"}) {
    EXPECT_FALSE(is_host_rule(rule)) << rule;
  }
}

TEST(WebGuard, LetsPagesOfThisMachineInUnlessToldOtherwise) {
  const std::string_view own = "http://localhost:8000";
  const std::vector<std::string_view> here{"http://localhost:3000", "https://localhost",
                                           "http://127.0.0.1:5173", "http://[::1]:3000",
                                           "http://app.localhost:3000"};
  const std::vector<std::string_view> elsewhere{"https://evil.example",
                                                "null",
                                                "file://",
                                                "http://localhost.evil.example",
                                                "http://evil.example/localhost",
                                                "http://localhost@evil.example",
                                                "chrome-extension://abc",
                                                "http://192.0.2.7",
                                                "localhost:3000"};
  struct Case {
    WebPages pages;
    bool here;
    bool app;
    bool elsewhere;
  };
  for (const Case& one : {Case{WebPages::OfThisMachine, true, true, false},
                          Case{WebPages::All, true, true, true}, Case{WebPages::None, false, false, false}}) {
    WebGuard guard({.pages = one.pages, .origins = {"https://App.example"}, .own_pages_only = "/admin"});
    guard.listens_on("127.0.0.1", "127.0.0.1:8000");
    const auto asked = [&](std::string_view origin, std::string_view path = "/") {
      return verdict(guard, {{"Host", "localhost:8000"}, {"Origin", origin}}, path);
    };
    const auto expected = [&](bool may, std::string_view origin) {
      return !may ? "refused" : one.pages == WebPages::All ? "*" : std::string(origin);
    };
    for (const std::string_view origin : here) EXPECT_EQ(asked(origin), expected(one.here, origin)) << origin;
    for (const std::string_view origin : elsewhere) {
      EXPECT_EQ(asked(origin), expected(one.elsewhere, origin)) << origin;
      EXPECT_EQ(asked(origin, "/admin/faults"), "refused") << origin;
    }
    EXPECT_EQ(asked("https://app.example"), expected(one.app, "https://app.example"));
    for (const std::string_view origin : here) EXPECT_EQ(asked(origin, "/admin/faults"), "refused") << origin;
    EXPECT_EQ(asked(own), "served");
    EXPECT_EQ(asked(own, "/admin/faults"), "served");
  }
}

// Browsers send Sec-Fetch-Site, also with requests that have no Origin, or "null".
TEST(WebGuard, BelievesBrowsersThatSayWhichPageAsks) {
  WebGuard guard({.own_pages_only = "/admin"});
  guard.listens_on("127.0.0.1", "127.0.0.1:8000");
  struct Case {
    std::string_view site;
    std::string_view origin;
    std::string_view at_root;
    std::string_view at_admin;
  };
  const Case cases[] = {{"same-origin", "null", "served", "served"},
                        {"none", "", "served", "served"},
                        {"cross-site", "", "served", "refused"},
                        {"same-site", "http://localhost:3000", "http://localhost:3000", "refused"},
                        {"cross-site", "https://evil.example", "refused", "refused"}};
  for (const Case& one : cases) {
    std::vector<Header> headers{{"Host", "localhost:8000"}, {"Sec-Fetch-Site", one.site}};
    if (!one.origin.empty()) headers.push_back({"Origin", one.origin});
    EXPECT_EQ(verdict(guard, headers), one.at_root) << one.site;
    EXPECT_EQ(verdict(guard, headers, "/admin/faults"), one.at_admin) << one.site;
  }
}

TEST(WebGuard, LetsPeopleFollowLinksFromOtherPages) {
  WebGuard guard({.pages = WebPages::None, .own_pages_only = "/"});
  guard.listens_on("127.0.0.1", "127.0.0.1:8000");
  const auto asked = [&](std::string_view method, std::string_view mode, std::string_view dest) {
    const Header headers[] = {{"Host", "localhost:8000"},
                              {"Sec-Fetch-Site", "cross-site"},
                              {"Sec-Fetch-Mode", mode},
                              {"Sec-Fetch-Dest", dest}};
    Request request;
    request.method = method;
    request.path = "/products";
    request.headers = headers;
    request.peer = "127.0.0.1:51234";
    return guard.judge(request).refusal.empty();
  };
  EXPECT_TRUE(asked("GET", "navigate", "document"));
  EXPECT_FALSE(asked("POST", "navigate", "document"));
  EXPECT_FALSE(asked("GET", "navigate", "iframe"));
  EXPECT_FALSE(asked("GET", "no-cors", "image"));
  EXPECT_FALSE(asked("GET", "cors", "empty"));
}

TEST(WebGuard, TellsCachesWhatDependsOnThePage) {
  const auto depends = [](WebPages pages, std::string_view method, std::vector<Header> headers) {
    Request request;
    request.method = method;
    request.headers = headers;
    return WebGuard({.pages = pages}).judge(request).depends_on_origin;
  };
  EXPECT_TRUE(depends(WebPages::OfThisMachine, "GET", {}));
  EXPECT_TRUE(depends(WebPages::OfThisMachine, "POST", {{"Origin", "http://localhost"}}));
  EXPECT_FALSE(depends(WebPages::OfThisMachine, "POST", {}));
  EXPECT_FALSE(depends(WebPages::All, "GET", {{"Origin", "http://localhost"}}));
  EXPECT_FALSE(depends(WebPages::None, "GET", {}));
}

TEST(WebGuard, LetsOriginsOfAnySchemeInThatAreNamed) {
  for (const char* origin :
       {"capacitor://localhost", "chrome-extension://abcdef", "https://app.example:8443"}) {
    EXPECT_TRUE(is_origin(origin)) << origin;
  }
  for (const char* text : {"null", "://a", "app.example", "file://", "a b://c", "https://a/b"}) {
    EXPECT_FALSE(is_origin(text)) << text;
  }
  const auto judge = [](const WebGuard& guard) {
    const Header headers[] = {{"Host", "db.example"}, {"Origin", "capacitor://localhost"}};
    Request request;
    request.method = "POST";
    request.path = "/";
    request.headers = headers;
    request.peer = "unix";
    return guard.judge(request).refusal;
  };
  EXPECT_EQ(judge(WebGuard({.origins = {"capacitor://localhost"}})), "");
  EXPECT_NE(judge(WebGuard({})), "");  // not a page of this machine
}

}  // namespace
}  // namespace tavola::http
