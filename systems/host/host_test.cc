// The parts of an application, each alone. tests/systems runs whole applications.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/host/options.h"

namespace tavola::systems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_THAT(wrong({"--nothing"}), HasSubstr("--nothing"));
}

TEST(Options, HaveShortLinesInTheHelp) {
  HostOptions options;
  const std::string lines = option_lines(host_options(options));
  EXPECT_THAT(lines, HasSubstr("\n  --port PORT           Port to listen on; 0 for any free one\n"));
  EXPECT_THAT(lines,
              HasSubstr("\n  --oidc-client-secret-file FILE\n                        Its secret there"));
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    EXPECT_LE(end - at, 100U) << lines.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Options, ADevelopmentLoginNeedsThisMachine) {
  EXPECT_TRUE(check_host_options({.host = "127.0.0.1", .dev_login = true}));
  const auto refusal = [](HostOptions options) { return check_host_options(options).error().message(); };
  EXPECT_THAT(refusal({.oidc = {.client_id = "shelf"}}), HasSubstr("--oidc-issuer"));
  EXPECT_THAT(refusal({.oidc = {.issuer = "https://login.example"}}), HasSubstr("--oidc-client-id"));
  EXPECT_THAT(refusal({.oidc = {.issuer = "http://login.example", .client_id = "a"}}), HasSubstr("https"));
  EXPECT_THAT(refusal({.dev_login = true, .oidc = {.issuer = "https://login.example", .client_id = "a"}}),
              HasSubstr("--dev-login"));
  EXPECT_THAT(refusal({.public_url = "https://shop.example/till"}), HasSubstr("without a path"));
  EXPECT_TRUE(check_host_options({.host = "127.0.0.1",
                                  .public_url = "https://shop.example",
                                  .oidc = {.issuer = "https://login.example", .client_id = "a"}}));
  EXPECT_THAT(check_host_options({.host = "0.0.0.0", .dev_login = true}).error().message(),
              HasSubstr("--dev-login"));
  EXPECT_THAT(check_host_options({.host = "0.0.0.0"}).error().message(), HasSubstr("--tls-cert"));
  EXPECT_FALSE(check_host_options({.in_memory = true, .endpoint = "http://localhost:8000"}));
}

}  // namespace
}  // namespace tavola::systems
