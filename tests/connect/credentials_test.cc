// Where credentials are found, each place played by a server on loopback or by files, and their renewal.
#include "remote/credentials.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/test_scratch_directory.h"
#include "base/timestamps.h"
#include "cases/set_clock.h"
#include "tests/connect/test_loopback.h"

namespace tavola::remote {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() {
    clock_.set(*parse_iso8601("2026-11-18T12:00:00Z"));
    variables_["HOME"] = home_.path().string();
    variables_["AWS_EC2_METADATA_DISABLED"] = "true";
  }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = home_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string path(const std::string& name) const { return (home_.path() / name).string(); }

  Environment environment() const {
    return [this](std::string_view name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
  }
  Result<Credentials> found() { return CredentialChain(environment(), clock_).get(); }
  std::string key() {
    const Result<Credentials> credentials = found();
    return credentials ? credentials->access_key_id : credentials.error().message();
  }

  ScratchDirectory home_;
  cases::SetClock clock_;
  std::map<std::string, std::string, std::less<>> variables_;
};

http::Response text(std::string body) { return {.content_type = "text/plain", .body = std::move(body)}; }

std::string metadata(const std::string& key, const std::string& expiration) {
  return R"({"AccessKeyId":")" + key + R"(","SecretAccessKey":"s","Token":"t","Expiration":")" + expiration +
         R"("})";
}

TEST_F(CredentialsTest, WithoutAnyTheErrorNamesThePlaces) {
  const Result<Credentials> none = found();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::AccessDenied);
  EXPECT_THAT(none.error().message(), HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_THAT(none.error().message(), HasSubstr("~/.aws/credentials"));
}

TEST_F(CredentialsTest, VariablesGoFirst) {
  write(".aws/credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n");
  EXPECT_EQ(key(), "FILE");
  variables_["AWS_ACCESS_KEY_ID"] = "VARIABLE";
  EXPECT_EQ(key(), "FILE");  // half a key is none
  variables_["AWS_SECRET_ACCESS_KEY"] = "secret";
  variables_["AWS_SESSION_TOKEN"] = "token";
  EXPECT_EQ(key(), "VARIABLE");
  EXPECT_EQ(found()->session_token, "token");
}

TEST_F(CredentialsTest, ProfilesAreInBothFiles) {
  write(".aws/credentials",
        "# keys\r\n[default]\r\naws_access_key_id=A\r\naws_secret_access_key = a=/+ # mine\r\n"
        "[work]\naws_access_key_id = W\naws_secret_access_key = w\naws_session_token = t\n");
  write(".aws/config",
        "[profile work]\naws_access_key_id = IGNORED\nregion = eu-west-1\ns3 =\n  addressing_style = path\n"
        "[profile other]\naws_access_key_id = O\naws_secret_access_key = o\n");
  EXPECT_EQ(key(), "A");
  EXPECT_EQ(found()->secret_access_key, "a=/+");
  variables_["AWS_PROFILE"] = "work";
  EXPECT_EQ(key(), "W");
  EXPECT_EQ(found()->session_token, "t");
  variables_["AWS_PROFILE"] = "other";
  EXPECT_EQ(key(), "O");
  variables_["AWS_PROFILE"] = "nobody";
  EXPECT_THAT(key(), HasSubstr("there is no profile nobody"));
  variables_["AWS_SHARED_CREDENTIALS_FILE"] = path("elsewhere");
  write("elsewhere", "[nobody]\naws_access_key_id = E\naws_secret_access_key = e\n");
  EXPECT_EQ(key(), "E");
}

TEST_F(CredentialsTest, ARoleThatTavolaCannotTakeIsRefusedInWords) {
  write(".aws/config", "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n");
  EXPECT_THAT(key(), HasSubstr("aws configure export-credentials"));
}

const std::string kRole =
    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
    "<AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
    "<Expiration>2026-11-18T13:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
    "</AssumeRoleWithWebIdentityResponse>";

TEST_F(CredentialsTest, AWebIdentityTakesARole) {
  const Loopback sts([](const Heard&) { return text(kRole); });
  write("token", "the.token/+\n");
  variables_["AWS_ENDPOINT_URL_STS"] = sts.url();
  variables_["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/r";
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = path("token");
  EXPECT_EQ(key(), "ROLE");
  const Heard request = sts.heard().front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.body, HasSubstr("Action=AssumeRoleWithWebIdentity"));
  EXPECT_THAT(request.body, HasSubstr("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"));
  EXPECT_THAT(request.body, HasSubstr("WebIdentityToken=the.token%2F%2B"));
  EXPECT_EQ(request.header("authorization"), "");

  variables_.erase("AWS_ROLE_ARN");
  write(".aws/config",
        "[default]\nrole_arn = arn:aws:iam::1:role/p\nweb_identity_token_file = " + path("token") + "\n");
  EXPECT_EQ(key(), "ROLE");
  EXPECT_THAT(sts.heard().back().body, HasSubstr("role%2Fp"));
  std::filesystem::remove(path("token"));
  EXPECT_THAT(key(), HasSubstr("token"));
}

TEST_F(CredentialsTest, ASessionOfTheSignOnGivesARole) {
  const Loopback portal([](const Heard&) {
    return text(
        R"({"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":1795006800000}})");
  });
  variables_["AWS_ENDPOINT_URL_SSO"] = portal.url();
  write(".aws/config",
        "[default]\nsso_session = firm\nsso_account_id = 123456789012\nsso_role_name = Reader\n"
        "[sso-session firm]\nsso_region = eu-west-1\nsso_start_url = https://firm.awsapps.com/start\n");
  EXPECT_THAT(key(), HasSubstr("aws sso login"));
  const std::string cache = ".aws/sso/cache/" + to_hex(sha1("firm")) + ".json";
  write(cache, R"({"accessToken":"bearer","expiresAt":"2000-01-01T00:00:00Z"})");
  EXPECT_THAT(key(), HasSubstr("has ended"));
  write(cache, R"({"accessToken":"bearer","expiresAt":"2099-01-01T00:00:00Z"})");
  EXPECT_EQ(key(), "SSO");
  const Heard request = portal.heard().front();
  EXPECT_EQ(request.target, "/federation/credentials?account_id=123456789012&role_name=Reader");
  EXPECT_EQ(request.header("x-amz-sso_bearer_token"), "bearer");
}

TEST_F(CredentialsTest, AContainerIsAskedWithItsToken) {
  const Loopback agent([](const Heard& heard) {
    if (heard.header("authorization") == "secret") return text(metadata("CONTAINER", "2026-11-18T18:00:00Z"));
    return http::Response{.status = 403, .body = "who?"};
  });
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = agent.url() + "/v1/credentials";
  EXPECT_THAT(key(), HasSubstr("403"));
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "secret";
  EXPECT_EQ(key(), "CONTAINER");
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = path("token");
  write("token", "wrong\n");
  EXPECT_THAT(key(), HasSubstr("403"));
  write("token", "secret\n");
  EXPECT_EQ(key(), "CONTAINER");
  for (const char* elsewhere :
       {"http://192.0.2.1/", "http://127.0.0.1.example/", "http://localhost.example/"}) {
    variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = elsewhere;
    EXPECT_THAT(key(), HasSubstr("neither https nor of this machine")) << elsewhere;
  }
}

// Plays the metadata service; every look gives another key.
class Instance {
 public:
  Instance() : server_([this](const Heard& heard) { return answer(heard); }) {}
  std::string url() const { return server_.url(); }

  std::atomic<bool> is_down = false;
  std::atomic<int> looks = 0;

 private:
  http::Response answer(const Heard& heard) {
    if (is_down) return {.status = 500};
    if (heard.target == "/latest/api/token") {
      const bool good =
          heard.method == "PUT" && heard.header("x-aws-ec2-metadata-token-ttl-seconds") == "21600";
      return good ? text("session") : http::Response{.status = 400};
    }
    if (heard.header("x-aws-ec2-metadata-token") != "session") return {.status = 401};
    if (heard.target == "/latest/meta-data/iam/security-credentials/") return text("the-role");
    if (heard.target != "/latest/meta-data/iam/security-credentials/the-role") return {.status = 404};
    const int look = ++looks;
    return text(
        metadata("LOOK" + std::to_string(look), look == 1 ? "2026-11-18T13:00:00Z" : "2026-11-18T14:00:00Z"));
  }

  Loopback server_;
};

TEST_F(CredentialsTest, AnInstanceIsAskedBeforeTheKeyExpires) {
  Instance instance;
  variables_.erase("AWS_EC2_METADATA_DISABLED");
  variables_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = instance.url() + "/";
  CredentialChain chain(environment(), clock_);
  EXPECT_EQ(chain.get()->access_key_id, "LOOK1");
  EXPECT_EQ(chain.get()->access_key_id, "LOOK1");
  clock_.set(*parse_iso8601("2026-11-18T12:54:00Z"));
  EXPECT_EQ(chain.get()->access_key_id, "LOOK1");
  EXPECT_EQ(instance.looks, 1);
  // Five minutes before the end it is renewed; while that fails, the old key is used until it expires.
  instance.is_down = true;
  clock_.set(*parse_iso8601("2026-11-18T12:56:00Z"));
  EXPECT_EQ(chain.get()->access_key_id, "LOOK1");
  instance.is_down = false;
  EXPECT_EQ(chain.get()->access_key_id, "LOOK1");  // not tried at every request
  clock_.set(*parse_iso8601("2026-11-18T12:56:31Z"));
  EXPECT_EQ(chain.get()->access_key_id, "LOOK2");
  instance.is_down = true;
  clock_.set(*parse_iso8601("2026-11-18T14:00:01Z"));
  EXPECT_FALSE(chain.get());
}

}  // namespace
}  // namespace tavola::remote
