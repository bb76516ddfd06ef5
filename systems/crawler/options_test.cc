#include "options.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_specs.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CommandSpec& command(std::string_view name) {
  for (const CommandSpec& spec : all_commands()) {
    if (spec.name == name) return spec;
  }
  ADD_FAILURE() << "no command " << name;
  return all_commands().front();
}

tavola::Result<GivenOptions> given(std::string_view name, const std::vector<std::string>& words) {
  return GivenOptions::read(command(name), words);
}

TEST(Options, AreReadInBothForms) {
  const auto options = given("crawl", {"a.de", "--country", "DE", "--country=FR", "--json", "b.de",
                                       "--bytes=8MB", "--delay", "1500ms"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->arguments(), ElementsAre("a.de", "b.de"));
  EXPECT_THAT(options->texts("--country"), ElementsAre("DE", "FR"));
  EXPECT_TRUE(options->has("--json"));
  EXPECT_EQ(*options->bytes("--bytes", "1"), 8U << 20U);
  EXPECT_EQ(*options->milliseconds("--delay", "1s"), 1500);
  EXPECT_EQ(*options->number("--pages", 7), 7);
}

TEST(Options, RefuseMistakes) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"--nothing"}, "--nothing is not an option of crawl"},
      {{"--json=yes"}, "--json takes no value"},
      {{"--pages"}, "--pages needs a value: N"},
      {{"--pages", "--json"}, "--pages needs a value: N"},
      {{"--pages", "1", "--pages", "2"}, "--pages is given twice"},
  };
  for (const auto& [words, problem] : cases) {
    const auto options = given("crawl", words);
    ASSERT_FALSE(options) << problem;
    EXPECT_THAT(options.error().message(), HasSubstr(problem));
  }
  EXPECT_THAT(given("crawl", {"--pages", "many"})->number("--pages", 1).error().message(),
              HasSubstr("must be a whole number"));
  EXPECT_THAT(given("crawl", {"--bytes", "8TB"})->bytes("--bytes", "1").error().message(),
              HasSubstr("must be a number of bytes"));
}

// A line of help that is too long, or a command without its options, would show here.
TEST(Options, AreAllInTheHelp) {
  for (const CommandSpec& spec : all_commands()) {
    const std::string help = command_help(spec);
    for (const auto& group : spec.options) {
      for (const OptionSpec& option : group) EXPECT_THAT(help, HasSubstr("  " + std::string(option.name)));
    }
    EXPECT_THAT(program_help(all_commands()), HasSubstr("  " + std::string(spec.name) + " "));
  }
}

}  // namespace
}  // namespace crawler
