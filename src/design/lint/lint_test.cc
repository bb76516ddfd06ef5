#include "design/lint/lint.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/lint/lints.h"
#include "design/load.h"

namespace tavola::design {
namespace {

const std::filesystem::path kFixtures = TAVOLA_SOURCE_DIR "/src/design/testdata";

// "12: overlap", for each line that ends with `# lint: code`; codes are separated by commas.
std::vector<std::string> expected_lints(const std::string& text) {
  std::vector<std::string> expected;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view kMark = "# lint: ";
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    std::istringstream codes(line.substr(at + kMark.size()));
    std::string code;
    while (std::getline(codes, code, ',')) {
      code.erase(0, code.find_first_not_of(' '));
      expected.push_back(std::to_string(number) + ": " + code);
    }
  }
  std::ranges::sort(expected);
  return expected;
}

void expect_marked_lints(const std::filesystem::path& path) {
  SCOPED_TRACE(path.filename().string());
  const std::string text = text_of_file(path);
  const Loaded loaded = load(text, path.filename().string());
  std::vector<std::string> found;
  for (const Diagnostic& one : loaded.diagnostics) {
    EXPECT_EQ(one.severity, Severity::Lint) << to_text(one, text);
    EXPECT_FALSE(one.why.empty() || one.advice.empty() || one.message.empty());
    found.push_back(std::to_string(one.span.begin.line) + ": " + one.code);
  }
  std::ranges::sort(found);
  EXPECT_EQ(found, expected_lints(text));
}

TEST(LintTest, FixturesHaveTheLintsThatTheyMark) {
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures / "lints"))
    expect_marked_lints(entry.path());
}

TEST(LintTest, DraftsHaveTheLintsThatTheyMark) {
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures / "drafts"))
    expect_marked_lints(entry.path());
}

TEST(LintTest, EveryLintHasADesignThatTriggersItAndANearMiss) {
  for (const LintKind& kind : lint_kinds()) {
    const std::string code(kind.code);
    if (code == "untested" || code == "shared-table-name") continue;  // need more than one file: below
    const std::string trigger = text_of_file(kFixtures / "lints" / (code + ".yaml"));
    EXPECT_NE(trigger.find("# lint: " + code), std::string::npos) << code;
    const std::string near = text_of_file(kFixtures / "lints" / (code + ".near.yaml"));
    EXPECT_FALSE(near.empty()) << code;
    EXPECT_EQ(near.find("# lint:"), std::string::npos) << code;
  }
}

// A lint that is accepted at its position, or for the whole design, is not reported.
TEST(LintTest, WhatIsAcceptedIsNotTold) {
  std::string text = text_of_file(kFixtures / "lints" / "scan.yaml");
  const std::size_t at = text.find(" } # lint: scan");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 2, ", accept: { scan: by hand once a year } }");
  EXPECT_TRUE(load(text, "scan.yaml").diagnostics.empty());
}

TEST(LintTest, ADesignWithoutExamplesIsUntested) {
  const Loaded without = load(text_of_file(kFixtures / "lints" / "scan.yaml"), "scan.yaml");
  ASSERT_TRUE(without.design);
  ASSERT_EQ(lint_untested(*without.design).size(), 1U);
  EXPECT_EQ(lint_untested(*without.design).front().code, "untested");
  const Loaded with = load(text_of_file(TAVOLA_SOURCE_DIR "/designs/fus-main.yaml"), "fus-main.yaml");
  ASSERT_TRUE(with.design);
  EXPECT_TRUE(lint_untested(*with.design).empty());
}

TEST(LintTest, DesignsThatShareTheVariableOfTheirTable) {
  const auto named = [](const std::string& name, const std::string& variable) {
    Design design;
    design.name = name;
    design.file = name + ".yaml";
    design.table.name_env = variable;
    return design;
  };
  const Design a = named("a", "TABLE");
  const Design b = named("b", "TABLE");
  const Design c = named("c", "");
  const Design d = named("d", "");
  const std::vector<const Design*> all{&a, &b, &c, &d};
  const std::vector<Diagnostic> found = lint_together(all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().message, "b and a take the name of their table from TABLE");
  EXPECT_EQ(found.front().file, "b.yaml");
}

// The shipped designs have no lints left.
TEST(LintTest, OurOwnDesignsHaveNone) {
  for (const auto& entry : std::filesystem::directory_iterator(TAVOLA_SOURCE_DIR "/designs")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".yaml") || name.ends_with(".cases.yaml")) continue;
    const std::string text = text_of_file(entry.path());
    for (const Diagnostic& one : load(text, name).diagnostics) ADD_FAILURE() << to_text(one, text);
  }
}

}  // namespace
}  // namespace tavola::design
