// The parts of logins by OpenID Connect that depend on time. tests/systems/openid_test.mjs has whole logins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access/identity/token.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/test_clock.h"
#include "json/reader.h"
#include "systems/host/openid/dev_issuer.h"
#include "systems/host/openid/pending_logins.h"

namespace tavola::systems {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

TEST(Parameters, AreReadAsTheyWereWritten) {
  const Parameters parameters{{"a", "b c&d=é"}, {"empty", ""}, {"uri", "http://x/?y#z+"}};
  EXPECT_EQ(read_parameters(write_parameters(parameters)), parameters);
  EXPECT_EQ(value_of(*read_parameters("a=1+2&b=%2B"), "a"), "1 2");
  EXPECT_EQ(value_of(*read_parameters("a=1+2&b=%2B"), "b"), "+");
  for (const char* const wrong : {"a=1&a=2", "a=%4", "a=%zz", "a=%ff"})
    EXPECT_FALSE(read_parameters(wrong)) << wrong;
  EXPECT_EQ(with_parameters("https://a/b?tenant=1", {{"c", "d"}}), "https://a/b?tenant=1&c=d");
}

TEST(PendingLogins, AreCompletedOnceByTheirBrowserInTime) {
  TestClock clock;
  PendingLogins logins(clock);
  logins.add("first", {.browser = "b", .nonce = "n", .verifier = "v", .redirect_uri = "r", .to = "/"});
  EXPECT_THAT(logins.take("first", "another").error().message(), HasSubstr("another browser"));
  EXPECT_EQ(logins.take("first", "b")->nonce, "n");
  EXPECT_THAT(logins.take("first", "b").error().message(), HasSubstr("completed already"));
  logins.add("second", {.browser = "b", .nonce = "n", .verifier = "v", .redirect_uri = "r", .to = "/"});
  clock.advance(minutes(11));
  EXPECT_THAT(logins.take("second", "b").error().message(), HasSubstr("ten minutes"));
}

class DevIssuerTest : public ::testing::Test {
 protected:
  DevIssuerTest() : issuer_(*DevIssuer::start({.client = "shelf", .clock = clock_})) {
    issuer_->allow({"http://app"});
  }

  http::Response ask(std::string_view method, std::string_view path, const Parameters& parameters = {}) {
    const std::string text = write_parameters(parameters);
    http::Request request;
    request.method = method;
    request.path = path;
    (method == "POST" ? request.body : request.query) = text;
    return issuer_->answer(request);
  }
  std::string code() {
    const http::Response back = ask("POST", "/authorize",
                                    {{"response_type", "code"},
                                     {"client_id", "shelf"},
                                     {"redirect_uri", "http://app/login/oidc/callback"},
                                     {"scope", "openid"},
                                     {"nonce", "n"},
                                     {"code_challenge", to_base64url(sha256({"secret"}))},
                                     {"code_challenge_method", "S256"},
                                     {"user", "anna"}});
    const std::size_t begin = back.headers.find("code=") + 5;
    return back.headers.substr(begin, back.headers.find('&', begin) - begin);
  }
  http::Response token(const std::string& code) {
    return ask("POST", "/token",
               {{"grant_type", "authorization_code"},
                {"client_id", "shelf"},
                {"code", code},
                {"redirect_uri", "http://app/login/oidc/callback"},
                {"code_verifier", "secret"}});
  }
  Result<design::Identity> verified(const std::string& token) {
    const auto keys = access::read_jwks(ask("GET", "/jwks").body);
    const auto verifier =
        access::TokenVerifier::make({.keys = *keys, .issuer = issuer_->url(), .audience = "shelf"});
    return verifier->verify(token, clock_.now());
  }

  TestClock clock_;
  std::unique_ptr<DevIssuer> issuer_;
};

TEST_F(DevIssuerTest, CodesEndAfterAMinute) {
  const std::string code = this->code();
  clock_.advance(std::chrono::seconds(61));
  EXPECT_THAT(token(code).body, HasSubstr("invalid_grant"));
  EXPECT_EQ(token(this->code()).status, 200);
}

TEST_F(DevIssuerTest, ANewKeySignsEveryDayAndTheOldOneStaysUntilItsTokensHaveExpired) {
  const auto keys = [&] { return json::parse(ask("GET", "/jwks").body)->find("keys")->elements.size(); };
  const auto tokens = json::parse(token(code()).body);
  const std::string id_token = tokens->text_at("id_token");
  EXPECT_EQ(verified(id_token)->sub, "anna");
  EXPECT_EQ(verified(tokens->text_at("access_token"))->sub, "anna");
  clock_.advance(minutes(10));
  EXPECT_THAT(verified(id_token).error().message(), HasSubstr("expired"));
  clock_.advance(hours(24) - minutes(30));
  const std::string late = json::parse(token(code()).body)->text_at("access_token");
  EXPECT_EQ(keys(), 1U);
  clock_.advance(minutes(40));
  EXPECT_EQ(keys(), 2U);
  EXPECT_EQ(verified(late)->sub, "anna");
  const std::string next = json::parse(token(code()).body)->text_at("id_token");
  EXPECT_NE(access::key_id_of(next), access::key_id_of(late));
  EXPECT_EQ(verified(next)->sub, "anna");
  clock_.advance(hours(26));
  EXPECT_EQ(keys(), 1U);
  EXPECT_FALSE(verified(late));
}

}  // namespace
}  // namespace tavola::systems
