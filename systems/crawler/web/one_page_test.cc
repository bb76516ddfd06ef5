// Reads pages of a server on this machine.
#include "web/one_page.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server.h"

namespace crawler {
namespace {

using testing::HasSubstr;
namespace http = tavola::http;

class OnePageTest : public testing::Test {
 protected:
  OnePageTest() {
    server_ = *http::Server::start({.port = 0}, [this](const http::Request& request, http::Reply reply) {
      ++requests_;
      reply(answer(request));
    });
    options_ = {.user_agent = "test", .addresses = AddressRule::Any, .timeout = std::chrono::seconds(20)};
  }

  static http::Response answer(const http::Request& request) {
    const auto redirect_to = [](std::string_view where) {
      http::Response response{.status = 302};
      response.add_header("Location", where);
      return response;
    };
    if (request.path == "/moved") return redirect_to("page?a=b");
    if (request.path == "/circle") return redirect_to("/circle");
    if (request.path == "/elsewhere") return redirect_to("file:///etc/passwd");
    if (request.path == "/latin") return {.content_type = "text/html; charset=iso-8859-1", .body = "\xfc"};
    if (request.path == "/picture") return {.content_type = "image/png", .body = "x"};
    if (request.path == "/missing") return {.status = 404};
    return {.content_type = "text/html", .body = "<p>" + std::string(request.query)};
  }

  tavola::Result<OnePage> read(const std::string& path) {
    return read_one_page(options_, *parse_url(server_->urls().front() + path));
  }
  std::string why(const std::string& path) {
    const auto page = read(path);
    return page ? "" : page.error().message();
  }

  std::atomic<int> requests_ = 0;
  std::unique_ptr<http::Server> server_;
  FetcherOptions options_;
};

// covers FUS1
TEST_F(OnePageTest, IsReadAfterRedirectsAndInItsEncoding) {
  const auto moved = read("/moved");
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(moved->html, "<p>a=b");
  EXPECT_EQ(moved->address.target(), "/page?a=b");
  EXPECT_EQ(read("/latin")->html, "ü");
}

TEST_F(OnePageTest, SaysWhyThereIsNone) {
  EXPECT_THAT(why("/missing"), HasSubstr("answered with status 404"));
  EXPECT_THAT(why("/picture"), HasSubstr("image/png, which is not a page"));
  EXPECT_THAT(why("/circle"), HasSubstr("redirects too often"));
  EXPECT_THAT(why("/elsewhere"), HasSubstr("not of the web"));
  options_.connect_to = {"::127.0.0.1:1"};
  EXPECT_THAT(why("/"), HasSubstr("cannot be read"));
}

TEST_F(OnePageTest, IsNotReadFromPrivateAddressesWhateverTheirNames) {
  options_.addresses = AddressRule::PublicOnly;
  const std::string port = std::to_string(server_->port());
  for (const char* const host :
       {"127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"}) {
    const auto page = read_one_page(options_, *parse_url("http://" + std::string(host) + ":" + port + "/"));
    ASSERT_FALSE(page) << host;
    EXPECT_THAT(page.error().message(),
                testing::AnyOf(HasSubstr("private address"), HasSubstr("cannot be read")))
        << host;
  }
  EXPECT_EQ(requests_, 0);
}

}  // namespace
}  // namespace crawler
