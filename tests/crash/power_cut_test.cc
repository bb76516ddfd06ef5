// Tests the power cut: synced data stays, other data loses pages, sometimes before one that stays; unsynced names are
// sometimes lost.
#include "tests/crash/power_cut.h"

#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"

namespace tavola::crash {
namespace {

namespace fs = std::filesystem;

void create(const fs::path& file) { std::ofstream(file) << "text"; }

void sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(fsync(fd), 0);
  close(fd);
}

class PowerCut : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(note_syncs_in(root_ / "synced")); }

  Cut cut(const fs::path& store, std::uint64_t seed) {
    const auto done = cut_power(store, root_ / "synced", seed);
    EXPECT_TRUE(done.has_value());
    return done.value_or(Cut{});
  }

  ScratchDirectory root_;
};

TEST_F(PowerCut, KeepsWhatWasSyncedAndTearsTheRest) {
  constexpr std::size_t kSyncedBytes = 5'000;
  constexpr std::size_t kBytes = 50'000;
  std::size_t torn = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const fs::path store = root_ / std::to_string(seed);
    fs::create_directory(store);
    const std::string written(kBytes, 'x');
    for (const char* file : {"1.log", "2.sst", "FORMAT"}) {
      const int fd = ::open((store / file).c_str(), O_CREAT | O_WRONLY, 0644);
      ASSERT_EQ(write(fd, written.data(), kSyncedBytes), static_cast<ssize_t>(kSyncedBytes));
      ASSERT_EQ(fdatasync(fd), 0);
      ASSERT_EQ(write(fd, written.data(), kBytes - kSyncedBytes),
                static_cast<ssize_t>(kBytes - kSyncedBytes));
      close(fd);
    }
    sync(store);
    sync(root_.path());
    const Cut done = cut(store, seed);
    EXPECT_EQ(done.lost_names, 0U);
    torn += done.torn_logs;
    EXPECT_EQ(fs::file_size(store / "FORMAT"), kBytes);
    EXPECT_EQ(fs::file_size(store / "2.sst"), kSyncedBytes);
    std::ostringstream log;
    log << std::ifstream(store / "1.log", std::ios::binary).rdbuf();
    EXPECT_GE(log.str().find_first_not_of('x'), kSyncedBytes);
    EXPECT_EQ(log.str().find_first_not_of(std::string("x\0", 2)), std::string::npos);
    EXPECT_LE(log.str().size(), kBytes);
  }
  EXPECT_GT(torn, 0U);
}

TEST_F(PowerCut, TakesNamesThatWereNotSynced) {
  std::size_t created = 0;
  std::size_t renamed = 0;
  std::size_t made = 0;
  constexpr std::uint64_t kSeeds = 50;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const fs::path building = root_ / ("building-" + std::to_string(seed));
    const fs::path store = root_ / std::to_string(seed);
    fs::create_directory(building);
    create(building / "synced");
    create(building / "former");
    create(building / "replaced");
    sync(building);
    sync(root_.path());
    fs::rename(building, store);
    if (seed % 2 == 0) sync(root_.path());
    create(store / "draft");
    fs::rename(store / "draft", store / "replaced");
    create(store / "created");
    fs::rename(store / "former", store / "renamed");
    cut(store, seed);
    EXPECT_TRUE(fs::exists(store) != fs::exists(building));
    if (!fs::exists(store)) {
      EXPECT_EQ(seed % 2, 1U);
      continue;
    }
    made += seed % 2;
    EXPECT_TRUE(fs::exists(store / "synced"));
    EXPECT_TRUE(fs::exists(store / "replaced"));
    EXPECT_TRUE(fs::exists(store / "renamed") != fs::exists(store / "former"));
    created += fs::exists(store / "created") ? 1 : 0;
    renamed += fs::exists(store / "renamed") ? 1 : 0;
  }
  EXPECT_TRUE(made > 0 && made < kSeeds / 2);
  const std::size_t stores = kSeeds / 2 + made;
  for (const std::size_t kept : {created, renamed}) EXPECT_TRUE(kept > 0 && kept < stores);
}

}  // namespace
}  // namespace tavola::crash
