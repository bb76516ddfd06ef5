// SYNCED while the store is open: these tests watch what is synced when, and who waits for it.
#include "store/rocks/synced_files.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data_files.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Decides whether a sync of the file fails. May block.
using SyncWatch = std::function<bool(const fs::path&)>;

Mutex watch_mutex;
std::shared_ptr<const SyncWatch> watch_of_syncs TAVOLA_GUARDED_BY(watch_mutex);

int sync_watched(long call, int fd) {
  std::shared_ptr<const SyncWatch> watch;
  {
    const MutexLock lock(watch_mutex);
    watch = watch_of_syncs;
  }
  if (watch) {
    std::error_code error;
    if ((*watch)(fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error))) {
      errno = EIO;
      return -1;
    }
  }
  return static_cast<int>(::syscall(call, fd));
}

}  // namespace
}  // namespace tavola::store

// These replace the C library's for the whole test program.
extern "C" int fsync(int fd) { return tavola::store::sync_watched(SYS_fsync, fd); }
extern "C" int fdatasync(int fd) { return tavola::store::sync_watched(SYS_fdatasync, fd); }

namespace tavola::store {
namespace {

constexpr std::uint64_t kOldLog = 4;
constexpr std::uint64_t kNewLog = 5;

class SyncWatchTest : public testing::Test {
 protected:
  ~SyncWatchTest() override { watch_syncs(nullptr); }

  static void watch_syncs(SyncWatch watch) {
    const MutexLock lock(watch_mutex);
    watch_of_syncs = watch ? std::make_shared<const SyncWatch>(std::move(watch)) : nullptr;
  }
  std::string synced_text() const { return read_file(path_ / kSyncedFile).value_or(""); }
  void name_in_current(const std::string& manifest) const {
    std::ofstream(path_ / "CURRENT", std::ios::binary) << manifest << "\n";
  }
  // A store whose log has writes that survive only a kill.
  void kill_store() {
    const auto store = open_rocks_or_die(scratch_ / "store", {.durability = Durability::Deferred});
    ASSERT_TRUE(write(*store, {Write::put("a", "1")}).has_value());
    fs::remove(path_);
    copy_while_open(scratch_ / "store", path_);
  }
  // SYNCED with two logs, the second of which has a name on the disk.
  std::unique_ptr<SyncedFiles> begin_files() {
    auto files = SyncedFiles::begin(path_, {.boot = "boot", .directory = "directory"}, Durability::Deferred);
    EXPECT_TRUE(files.has_value()) << files.error().message();
    (*files)->log_began(kOldLog);
    (*files)->log_began(kNewLog);
    (*files)->names_synced((*files)->names());
    return *std::move(files);
  }
  // Makes SYNCED so long that the next line that must be synced rewrites it.
  static void lengthen(SyncedFiles& files) {
    for (std::uint64_t bytes = 1; bytes < 10'000; ++bytes) files.log_synced(kOldLog, bytes);
  }

  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "files";

  void SetUp() override { fs::create_directory(path_); }
};

// Otherwise a power cut could leave two lines after a hole, which looks like damage.
TEST_F(SyncWatchTest, OneLineIsSyncedAtATime) {
  const auto files = begin_files();
  std::atomic<int> syncing = 0;
  std::atomic<int> syncing_most = 0;
  watch_syncs([&](const fs::path& file) {
    if (file.filename() != kSyncedFile) return false;
    syncing_most = std::max(syncing_most.load(), ++syncing);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    --syncing;
    return false;
  });
  {
    const std::jthread manifest(
        [&] { files->manifest_synced("MANIFEST-000006", {.bytes = 5, .checksum = 7}); });
    const std::jthread gone([&] { files->log_gone(kOldLog); });
    const std::jthread closed([&] { files->closed(); });
  }
  EXPECT_EQ(syncing_most, 1);
  EXPECT_THAT(synced_text(), HasSubstr("manifest MANIFEST-000006 5 00000007"));
  EXPECT_THAT(synced_text(), HasSubstr("gone 000004.log"));
}

// A writer to the log does not wait while SYNCED is synced or rewritten.
TEST_F(SyncWatchTest, NobodyElseWaitsForTheSync) {
  for (const bool is_long : {false, true}) {
    SCOPED_TRACE(is_long);
    const auto files = begin_files();
    if (is_long) lengthen(*files);
    std::promise<void> begun;
    std::promise<void> end;
    watch_syncs([&, is_first = std::make_shared<std::atomic<bool>>(true)](const fs::path& file) {
      if (!file.filename().string().starts_with(kSyncedFile) || !is_first->exchange(false)) return false;
      begun.set_value();
      end.get_future().wait();
      return false;
    });
    std::jthread manifest([&] { files->manifest_synced("MANIFEST-000006", {.bytes = 5, .checksum = 7}); });
    begun.get_future().wait();
    const auto write = std::async(std::launch::async, [&] {
      files->log_appended(kNewLog, "bytes");
      files->log_synced(kNewLog, 77'777);
      files->log_began(kNewLog + 1);
      return files->log_end(kNewLog);
    });
    EXPECT_EQ(write.wait_for(std::chrono::seconds(2)), std::future_status::ready);
    end.set_value();
    manifest.join();
    write.wait();
    EXPECT_THAT(synced_text(), HasSubstr("manifest MANIFEST-000006 5 00000007"));
    EXPECT_THAT(synced_text(), HasSubstr("log 000005.log 77777 77777")) << "written meanwhile";
    EXPECT_THAT(synced_text(), HasSubstr("log 000006.log 0 0"));
    EXPECT_LT(synced_text().size(), 1000U);
    EXPECT_FALSE(fs::exists(path_ / "SYNCED.tmp"));
  }
}

// A line that cannot be synced is written to a new file; if that fails, there is no promise.
TEST_F(SyncWatchTest, AFileThatCannotBeSyncedIsBegunAnewOrRemoved) {
  const auto files = begin_files();
  watch_syncs([](const fs::path& file) { return file.filename() == kSyncedFile; });
  files->log_gone(kOldLog);
  EXPECT_THAT(synced_text(), Not(HasSubstr("000004.log")));
  EXPECT_THAT(synced_text(), HasSubstr("log 000005.log"));
  std::vector<std::string> synced;
  watch_syncs([&](const fs::path& file) {
    synced.push_back(file.filename().string() + (fs::exists(path_ / kSyncedFile) ? "" : " when it is gone"));
    return file.filename().string().starts_with(kSyncedFile);
  });
  files->log_gone(kNewLog);
  EXPECT_THAT(synced, testing::ElementsAre("SYNCED", "SYNCED.tmp", "files when it is gone"));
  EXPECT_TRUE(fs::is_empty(path_));
  watch_syncs(nullptr);
  files->manifest_synced("MANIFEST-000006", {.bytes = 5, .checksum = 7});
  EXPECT_THAT(synced_text(), HasSubstr("manifest MANIFEST-000006 5 00000007"));
}

// The files of a directory without SYNCED may not be synced. Promises about them must survive a power cut.
TEST_F(SyncWatchTest, FilesAreSyncedBeforeTheyArePromised) {
  kill_store();
  fs::remove(path_ / kSyncedFile);
  const std::string log = log_files(path_)->back();
  std::vector<std::string> synced;
  const auto check = check_files(path_);
  ASSERT_TRUE(check.has_value()) << check.error().message();
  ASSERT_GT(check->facts.logs.at(log_number(log)).synced, 0U);
  watch_syncs([&](const fs::path& file) {
    synced.push_back(file.filename());
    return false;
  });
  ASSERT_TRUE(SyncedFiles::begin(path_, check->facts, Durability::Deferred).has_value());
  watch_syncs(nullptr);
  EXPECT_THAT(synced,
              testing::ElementsAre("CURRENT", current_manifest(path_), log, "files", "SYNCED.tmp", "files"));
}

TEST_F(SyncWatchTest, WhatCannotBeSyncedIsNotPromised) {
  kill_store();
  fs::remove(path_ / kSyncedFile);
  watch_syncs([](const fs::path& file) { return file.extension() == ".log"; });
  const auto store = open_rocks(path_, {});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code(), ErrorCode::Io);
  EXPECT_FALSE(fs::exists(path_ / kSyncedFile));
}

// A sync of the directory covers the name that CURRENT had when it started.
TEST_F(SyncWatchTest, ANameThatCameDuringTheSyncIsNotNoted) {
  const auto files = begin_files();
  const auto rename_to = [&](const std::string& manifest) {
    files->manifest_synced(manifest, {.bytes = 5, .checksum = 7});
    name_in_current(manifest);
    files->current_renamed();
  };
  rename_to("MANIFEST-000006");
  const SyncedFiles::Names before = files->names();
  rename_to("MANIFEST-000007");
  files->names_synced(before);
  EXPECT_THAT(synced_text(), Not(HasSubstr("current MANIFEST-000007")));
  files->names_synced(files->names());
  EXPECT_THAT(synced_text(), HasSubstr("current MANIFEST-000007"));
  files->names_synced(before);
  EXPECT_THAT(synced_text(), Not(HasSubstr("current MANIFEST-000006"))) << "it is not the latest any more";
}

}  // namespace
}  // namespace tavola::store
