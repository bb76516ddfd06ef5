// The commands on designs, on files and data directories of the test's own.
#include "cli/design_commands.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/entity_table.h"
#include "cli/run_command.h"

namespace tavola::cli {
namespace {

using testing::HasSubstr;

constexpr std::string_view kMusic = R"(design: 1
name: music
table: { name: music, name_env: TAVOLA_TEST_TABLE, hash: PK, range: SK }
entities:
  Song:
    key: { PK: ARTIST#<artist>, SK: SONG#<title> }
    attributes:
      artist: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: integer, min: 1860 }
      addedAt: { type: timestamp, auto: create }
patterns:
  song: { get: Song }
  songsOf: { query: Song, via: table, hash: ARTIST#<artist>, range: begins_with SONG# }
operations:
  addSong: { steps: [{ put: Song, as: song, exists: false }], returns: song }
)";

class DesignCommands : public testing::Test {
 protected:
  DesignCommands()
      : folder_(std::filesystem::path(testing::TempDir()) / ("designs-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~DesignCommands() override { std::filesystem::remove_all(folder_); }

  std::string file(std::string_view text, const char* name = "music.yaml") const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Output run_music(const char* name, std::vector<std::string> arguments, const char* format = "json") const {
    RunOptions options{
        .file = file(kMusic), .name = name, .arguments = std::move(arguments), .data = folder_ / "data"};
    options.format = format;
    options.clock = "2026-01-15T10:00:00Z";
    return run(options);
  }

  std::filesystem::path folder_;
};

TEST_F(DesignCommands, CheckTellsEverythingAndFailsForErrorsAlone) {
  const Output fine = run(CheckOptions{.files = {file(kMusic)}});
  EXPECT_EQ(fine.exit_code, 0) << fine.out;
  std::string broken(kMusic);
  broken += "  play: { steps: [{ update: Sog, sett: {} }] }\n";
  const Output bad = run(CheckOptions{.files = {file(broken)}});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.out, HasSubstr("music.yaml:17:"));
  EXPECT_THAT(bad.out, HasSubstr("sett"));
  EXPECT_THAT(bad.out, HasSubstr(" in 1 file\n"));
  EXPECT_EQ(run(CheckOptions{.files = {file(broken)}, .format = "json"}).exit_code, 1);
  EXPECT_EQ(run(CheckOptions{.files = {"/no/such/file"}}).exit_code, 1);
  EXPECT_THAT(run(CheckOptions{.files = {"/no/such/file"}}).err, HasSubstr("/no/such/file"));
}

TEST_F(DesignCommands, FmtLaysOutAndNamesWhatItChanged) {
  const std::string path = file("design:   1\nname: music\n");
  EXPECT_EQ(run(FormatOptions{.files = {path}, .check = true}).exit_code, 1);
  const Output output = run(FormatOptions{.files = {path}});
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_EQ(output.out, path + "\n");
  EXPECT_EQ(run(FormatOptions{.files = {path}, .check = true}).exit_code, 0);
  EXPECT_EQ(run(FormatOptions{.files = {file("a: [", "broken.yaml")}}).exit_code, 1);
}

TEST_F(DesignCommands, CasesFilesAreSkippedWithANote) {
  const std::string cases = file("cases: []\nnothing: like a design\n", "music.cases.yaml");
  const Output checked = run(CheckOptions{.files = {file(kMusic), cases}});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr(" in 1 file\n"));
  EXPECT_THAT(checked.err, HasSubstr("note: skipped " + cases + ", which holds test cases\n"));
  EXPECT_THAT(run(FormatOptions{.files = {cases}, .check = true}).err, HasSubstr("note: skipped "));
}

TEST_F(DesignCommands, CheckSuggestsToCloseEntities) {
  EXPECT_THAT(run(CheckOptions{.files = {file(kMusic)}}).err,
              HasSubstr("Song accepts undeclared attributes; `closed: true` refuses them\n"));
  std::string closed(kMusic);
  closed.replace(closed.find("    attributes:"), 0, "    closed: true\n");
  EXPECT_EQ(run(CheckOptions{.files = {file(closed)}}).err, "");
}

TEST_F(DesignCommands, AFileThatIsNotADesignIsNotPrintedWhole) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "word" + std::to_string(i) + "\n\n";
  const Output output = run(CheckOptions{.files = {file("a: 1\n" + text)}});
  EXPECT_EQ(output.exit_code, 1);
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = output.out.find(": error: ", at)) != std::string::npos; ++at) ++shown;
  EXPECT_EQ(shown, 20U);
  EXPECT_THAT(output.out, HasSubstr(" more problems are not shown"));
}

TEST_F(DesignCommands, DiffFailsForChangesThatBreak) {
  const std::string before = file(kMusic, "before.yaml");
  std::string other(kMusic);
  other.replace(other.find("min: 1860"), 9, "min: 1850");
  EXPECT_EQ(run(DiffOptions{.before = before, .after = before}).exit_code, 0);
  EXPECT_EQ(run(DiffOptions{.before = before, .after = file(other, "after.yaml")}).exit_code, 0);
  const std::string_view pattern = "  song: { get: Song }\n";
  other.erase(other.find(pattern), pattern.size());
  const Output breaks =
      run(DiffOptions{.before = before, .after = file(other, "after.yaml"), .format = "json"});
  EXPECT_EQ(breaks.exit_code, 1) << breaks.out;
  EXPECT_EQ(run(DiffOptions{.before = before, .after = "/no/such/file"}).exit_code, 2);
}

TEST_F(DesignCommands, WithoutANameTheNamesAreListed) {
  for (const Output& output :
       {run(RunOptions{.file = file(kMusic)}), run(ExplainOptions{.file = file(kMusic)})}) {
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr("NAME is missing"));
    EXPECT_EQ(output.out,
              "Patterns:\n  song artist=… title=…\n  songsOf artist=…\n\n"
              "Operations:\n  addSong artist=… title=… year=…\n");
  }
}

TEST(Designs, TheShippedOnesAreFormatted) {
  FormatOptions options{.check = true};
  for (const auto& entry : std::filesystem::directory_iterator(TAVOLA_SOURCE_DIR "/designs")) {
    if (entry.path().extension() == ".yaml") options.files.push_back(entry.path());
  }
  const Output output = run(options);
  EXPECT_EQ(output.exit_code, 0) << output.out;
}

// covers C3
TEST_F(DesignCommands, SchemaNamesTheTableAsItIsCalledHere) {
  EXPECT_THAT(run(SchemaOptions{.file = file(kMusic)}).out, HasSubstr("\"music\""));
  setenv("TAVOLA_TEST_TABLE", "from-outside", 1);
  EXPECT_THAT(run(SchemaOptions{.file = file(kMusic)}).out, HasSubstr("\"from-outside\""));
  EXPECT_THAT(run(SchemaOptions{.file = file(kMusic), .table = "said"}).out, HasSubstr("\"said\""));
  unsetenv("TAVOLA_TEST_TABLE");
  EXPECT_THAT(run(SchemaOptions{.format = "json-schema"}).out, HasSubstr("$schema"));
  EXPECT_EQ(run(SchemaOptions{}).exit_code, 2);
}

TEST_F(DesignCommands, RunAnswersForPeopleAndForPrograms) {
  EXPECT_EQ(run_music("songsOf", {"artist=Nina"}).exit_code, 1);  // there is no data yet
  const Output added = run_music("addSong", {"artist=Nina", "title=Sinnerman", "year=1965"});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_EQ(added.out, R"({"addedAt":"2026-01-15T10:00:00Z","artist":"Nina","title":"Sinnerman","year":1965})"
                       "\n");
  EXPECT_EQ(run_music("songsOf", {"artist=Nina"}, "table").out,
            "artist  title      year  addedAt\n"
            "Nina    Sinnerman  1965  2026-01-15T10:00:00Z\n");
  EXPECT_EQ(run_music("songsOf", {"artist=Ella"}).out, "{\"items\":[],\"next\":null}\n");
  EXPECT_EQ(run_music("song", {"artist=Ella", "title=x"}).exit_code, 1);
}

TEST_F(DesignCommands, RefusalsAndBadParametersHaveTheirOwnExitCodes) {
  EXPECT_EQ(run_music("addSong", {"artist=Nina", "title=Sinnerman"}).exit_code, 0);
  const Output refused = run_music("addSong", {"artist=Nina", "title=Sinnerman"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, testing::StartsWith("refused: ALREADY_EXISTS"));
  EXPECT_EQ(run_music("addSong", {"artist=Nina", "title=x", "year=1700"}).exit_code, 2);
  EXPECT_EQ(run_music("addSong", {"artist"}).exit_code, 2);
  const Output unknown = run_music("adSong", {});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("addSong"));
}

// covers FUS11
TEST(Designs, TheSiteCatalogueIsPaidByRequest) {
  const Output output = run(SchemaOptions{.file = TAVOLA_SOURCE_DIR "/designs/fus-main.yaml"});
  EXPECT_THAT(output.out, HasSubstr("\"PAY_PER_REQUEST\"")) << output.err;
}

// covers TA10
TEST(Designs, TheTextAnalyzerPlansWhatItDoesNotBuild) {
  const std::string file = TAVOLA_SOURCE_DIR "/designs/text-analyzer-history.yaml";
  const std::string docs = run(DocsOptions{.file = file}).out;
  const std::size_t heading = docs.find("\n## Planned\n");
  ASSERT_NE(heading, std::string::npos);
  const std::string planned = docs.substr(heading, docs.find("\n## ", heading + 1) - heading);
  for (const char* words :
       {"Login by Cognito", "A TTL", "Counters of attempts", "An index of files by owner"})
    EXPECT_THAT(planned, HasSubstr(words));
  const std::string schema = run(SchemaOptions{.file = file}).out;
  for (const char* words : {"GlobalSecondaryIndexes", "TimeToLive"})
    EXPECT_THAT(schema, testing::Not(HasSubstr(words)));
  EXPECT_THAT(docs, testing::Not(HasSubstr("\n## Roles\n")));
}

// covers INV7
TEST(Designs, TheInventoryIsPlannedForThreeSizes) {
  const Output output = run(PlanOptions{.file = TAVOLA_SOURCE_DIR "/designs/InventorySystem.yaml"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  for (const char* words : {"Small", "Medium", "Large", "on-demand"})
    EXPECT_THAT(output.out, HasSubstr(words));
}

TEST(EntityTable, NumbersStandRightAndLongTextsAreCut) {
  const std::string text =
      entity_table({{.entity = nullptr, .fields = {{"n", 5}, {"t", "Größe"}}},
                    {.entity = nullptr, .fields = {{"n", 1000}, {"t", std::string(60, 'x')}}}});
  EXPECT_EQ(text, "   n  t\n   5  Größe\n1000  " + std::string(47, 'x') + "…\n");
}

}  // namespace
}  // namespace tavola::cli
