// `tavola design drift` on a data directory, as a user meets it.
#include "cli/tables/drift_command.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/database.h>
#include <tavola/table.h>

#include "cli/command_line.h"
#include "cli/output/progress_bar.h"

namespace tavola::cli {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSongs = R"(
design: 1
name: music
table: { name: music, hash: PK }
entities:
  Song:
    key: { PK: SONG#<title> }
    attributes:
      title: { type: string, required: true }
      loud: { type: string, derive: upper(title) }
patterns:
  song: { get: Song }
)";

class DriftCommand : public testing::Test {
 protected:
  DriftCommand() {
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ / "music.yaml") << kSongs;
    options_.file = directory_ / "music.yaml";
    options_.data = directory_ / "data";
  }
  ~DriftCommand() override { std::filesystem::remove_all(directory_); }

  void put(const Item& item) {
    const auto database = tavola::open(options_.data);
    ASSERT_TRUE(database) << database.error().message();
    const auto made = (*database)->create_table({.table_name = "music",
                                                 .attribute_definitions = {{"PK", Type::String}},
                                                 .key_schema = {{"PK", KeyType::Hash}}});
    EXPECT_TRUE(made || made.error().code() == ErrorCode::ResourceInUse);
    ASSERT_TRUE(Table(**database, "music").put(item));
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("tavola-drift-" + std::to_string(getpid()));
  DriftOptions options_;
};

TEST_F(DriftCommand, TheExitCodeTellsWhetherThereIsDrift) {
  put({{"PK", "SONG#a"}, {"title", "a"}, {"loud", "A"}});
  EXPECT_EQ(run(options_).exit_code, 0);
  put({{"PK", "SONG#b"}, {"title", "b"}, {"loud", "X"}});
  const Output drift = run(options_);
  EXPECT_EQ(drift.exit_code, 1);
  EXPECT_THAT(drift.out, HasSubstr(R"(PK=SONG#b: loud is "X", should be "B")"));
  options_.repair = true;
  const Output mended = run(options_);
  EXPECT_EQ(mended.exit_code, 0);
  EXPECT_THAT(mended.out, HasSubstr("Song.loud: 1, repaired"));
  options_.format = "json";
  EXPECT_THAT(run(options_).out, HasSubstr(R"("findings":[])"));
}

TEST_F(DriftCommand, TroubleIsToldApart) {
  const Output no_data = run(options_);
  EXPECT_EQ(no_data.exit_code, 2);
  EXPECT_THAT(no_data.err, HasSubstr("there is no data in"));
  put({{"PK", "SONG#a"}, {"title", "a"}, {"loud", "A"}});
  options_.table = "other";
  const Output no_table = run(options_);
  EXPECT_EQ(no_table.exit_code, 2);
  EXPECT_THAT(no_table.err, HasSubstr("there is no table other"));
  options_.file = directory_ / "none.yaml";
  EXPECT_EQ(run(options_).exit_code, 2);
}

TEST_F(DriftCommand, TakesItsOptions) {
  const std::vector<const char*> words{
      "tavola", "design",   "drift", "d.yaml",     "--repair",           "--samples",
      "9",      "--format", "json",  "--endpoint", "http://localhost:1", "--table",
      "t"};
  const Command command = parse_command_line(static_cast<int>(words.size()), words.data()).command;
  ASSERT_TRUE(std::holds_alternative<DriftOptions>(command));
  const auto& options = std::get<DriftOptions>(command);
  EXPECT_TRUE(options.repair);
  EXPECT_EQ(options.samples, 9U);
  EXPECT_EQ(options.endpoint, "http://localhost:1");
  EXPECT_EQ(options.data, "tavola-data");
}

TEST(ProgressLine, TellsAShareWhenTheEndIsKnown) {
  const std::string_view doing = "reading";
  EXPECT_EQ(progress_line({.doing = doing, .done = 50, .expected = 200}),
            "reading  [#####---------------]  25%  50 of 200 items");
  EXPECT_EQ(progress_line({.doing = doing, .done = 200, .expected = 200}),
            "reading  [####################]  100%  200 of 200 items");
  EXPECT_EQ(progress_line({.doing = doing, .done = 7}), "reading  7 items");
  EXPECT_EQ(progress_line({.doing = doing, .done = 9, .expected = 8}), "reading  9 items");
  EXPECT_EQ(progress_line({.doing = doing, .done = 50, .expected = 200, .per_second = 10}),
            "reading  [#####---------------]  25%  50 of 200 items  10 items/s  15 s left");
  EXPECT_EQ(
      progress_line(
          {.doing = doing, .unit = "bytes", .done = 512 << 10, .expected = 3 << 20, .per_second = 2048}),
      "reading  [###-----------------]  16%  512.0 KB of 3.0 MB  2.0 KB/s  21 min left");
  EXPECT_EQ(progress_line({.doing = doing, .done = 5, .per_second = 2}), "reading  5 items  2 items/s");
}

}  // namespace
}  // namespace tavola::cli
