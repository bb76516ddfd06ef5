#include "cli/token_command.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access/identity/token_sources.h"
#include "cli/command_line.h"

namespace tavola::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TokensTest : public testing::Test {
 protected:
  ~TokensTest() override { std::filesystem::remove(file_); }

  std::string file(std::string_view text) {
    std::ofstream(file_) << text;
    return file_;
  }

  const std::string file_ = testing::TempDir() + "tokens-" + std::to_string(getpid());
};

constexpr std::string_view kSecret = "a secret of this test, which is long enough\n";

TEST_F(TokensTest, OfTheCommandAreVerifiedByTheServer) {
  const Output made = run(TokenOptions{.sub = "anna", .groups = {"manager"}, .secret_file = file(kSecret)});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_TRUE(made.out.ends_with('\n'));
  const auto verifier = access::token_verifier({.secret_file = file_});
  ASSERT_TRUE(verifier && *verifier);
  const auto who =
      (*verifier)->verify(std::string_view(made.out).substr(0, made.out.size() - 1), Clock::system().now());
  ASSERT_TRUE(who) << who.error().message();
  EXPECT_EQ(who->sub, "anna");
  EXPECT_THAT(who->groups, ElementsAre("manager"));
}

TEST_F(TokensTest, MistakesAreTold) {
  const Output no_file = run(TokenOptions{.sub = "anna", .secret_file = file_ + ".none"});
  EXPECT_EQ(no_file.exit_code, kFailed);
  EXPECT_THAT(no_file.err, HasSubstr(file_ + ".none"));
  const Output short_secret = run(TokenOptions{.sub = "anna", .secret_file = file("short")});
  EXPECT_THAT(short_secret.err, HasSubstr("openssl rand -hex 32"));
  const Output no_time = run(TokenOptions{.sub = "anna", .expires = "soon", .secret_file = file(kSecret)});
  EXPECT_THAT(no_time.err, HasSubstr("--expires"));
  EXPECT_FALSE(access::token_verifier({.jwks_file = file("{}")}));
}

TEST_F(TokensTest, AreNotVerifiedWhenNothingIsSaid) {
  const auto verifier = access::token_verifier({});
  ASSERT_TRUE(verifier);
  EXPECT_FALSE(verifier->has_value());
}

TEST_F(TokensTest, HaveTheirWordsOnTheCommandLine) {
  const char* const words[] = {"tavola", "token",   "--sub", "anna",          "--group",
                               "a",      "--group", "b",     "--secret-file", "f"};
  const Command command = parse_command_line(static_cast<int>(std::size(words)), words).command;
  ASSERT_TRUE(std::holds_alternative<TokenOptions>(command));
  EXPECT_THAT(std::get<TokenOptions>(command).groups, ElementsAre("a", "b"));
  EXPECT_EQ(std::get<TokenOptions>(command).expires, "1h");
}

}  // namespace
}  // namespace tavola::cli
