// The power cut is checked too: what was synced stays, what was not loses pages, and sometimes one before one that stays.
#include "tests/crash/power_cut.h"

#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tavola::crash {
namespace {

namespace fs = std::filesystem;

TEST(PowerCut, KeepsWhatWasSyncedAndTearsTheRest) {
  constexpr std::size_t kSyncedBytes = 5'000;
  constexpr std::size_t kBytes = 50'000;
  std::string name = (fs::temp_directory_path() / "tavola-cut-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path root = fs::canonical(name);
  ASSERT_TRUE(note_syncs_in(root / "synced"));
  std::size_t torn = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const fs::path store = root / std::to_string(seed);
    fs::create_directory(store);
    const std::string written(kBytes, 'x');
    for (const char* file : {"1.log", "2.sst", "FORMAT"}) {
      const int fd = open((store / file).c_str(), O_CREAT | O_WRONLY, 0644);
      ASSERT_EQ(write(fd, written.data(), kSyncedBytes), static_cast<ssize_t>(kSyncedBytes));
      ASSERT_EQ(fdatasync(fd), 0);
      ASSERT_EQ(write(fd, written.data(), kBytes - kSyncedBytes),
                static_cast<ssize_t>(kBytes - kSyncedBytes));
      close(fd);
    }
    const auto cut = cut_power(store, root / "synced", seed);
    ASSERT_TRUE(cut);
    torn += cut->torn_logs;
    EXPECT_EQ(fs::file_size(store / "FORMAT"), kBytes);
    EXPECT_EQ(fs::file_size(store / "2.sst"), kSyncedBytes);
    std::ostringstream log;
    log << std::ifstream(store / "1.log", std::ios::binary).rdbuf();
    EXPECT_GE(log.str().find_first_not_of('x'), kSyncedBytes);
    EXPECT_EQ(log.str().find_first_not_of(std::string("x\0", 2)), std::string::npos);
    EXPECT_LE(log.str().size(), kBytes);
  }
  EXPECT_GT(torn, 0U);
  fs::remove_all(root);
}

}  // namespace
}  // namespace tavola::crash
