// Behaviour of a store on disk only: durability, refusals and their messages.
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// All files below a directory with their contents: equal when nothing was touched.
std::map<std::string, std::string> files_below(const fs::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    std::ostringstream text;
    if (entry.is_regular_file()) text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    contents.emplace(entry.path().string(), text.str());
  }
  return contents;
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

void expect_refused(const fs::path& path, ErrorCode code, const std::string& message) {
  const auto store = open_rocks(path, {});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code(), code);
  EXPECT_EQ(store.error().message(), message);
}

class RocksTest : public testing::TestWithParam<Durability> {
 protected:
  std::unique_ptr<Store> open(const fs::path& path) {
    return open_rocks_or_die(path, {.durability = GetParam()});
  }
  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
};
INSTANTIATE_TEST_SUITE_P(, RocksTest,
                         testing::Values(Durability::Synced, Durability::Relaxed, Durability::Deferred),
                         [](const auto& instance) {
                           return instance.param == Durability::Synced    ? "Synced"
                                  : instance.param == Durability::Relaxed ? "Relaxed"
                                                                          : "Deferred";
                         });

TEST_P(RocksTest, EverythingIsThereAfterReopening) {
  for (int round = 0; round < 4; ++round) {
    const auto store = open(path_);
    const Entries before = entries_of(*store->snapshot(), {"key", "kez"});
    ASSERT_EQ(before.size(), static_cast<std::size_t>(round * 100));
    for (int i = 0; i < 100; ++i) {
      const std::string key = "key" + std::to_string(round) + "/" + std::to_string(i);
      ASSERT_TRUE(
          write(*store, {Write::put(key, "v"), Write::put("gone", "v"), Write::erase_range("gone", "gonf"),
                         Write::add("n", std::vector<std::int64_t>{1})})
              .has_value());
    }
    EXPECT_EQ(*store->get("gone"), std::nullopt);
    EXPECT_THAT(*decode_counters(store->get("n")->value_or(""), 1), ElementsAre((round + 1) * 100));
  }
}

// A copy of an open store's files is what a killed process leaves: everything that reached the operating system.
TEST_P(RocksTest, AKilledProcessLosesNothingAcknowledged) {
  const auto store = open(path_);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(write(*store, {Write::put("key" + std::to_string(i), std::string(10'000, 'v'))}).has_value());
  }
  copy_while_open(path_, scratch_ / "killed");
  const auto reopened = open(scratch_ / "killed");
  EXPECT_EQ(entries_of(*reopened->snapshot(), {}), entries_of(*store->snapshot(), {}));
}

fs::path log_file_of(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".log") return entry.path();
  }
  return {};
}

TEST_P(RocksTest, ATornLastWriteIsDroppedWhole) {
  const fs::path killed = scratch_ / "killed";
  {
    const auto store = open(path_);
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(write(*store, {Write::put(key, "1"), Write::put(std::string(key) + "2", "2")}).has_value());
    }
    copy_while_open(path_, killed);
  }
  const fs::path log = log_file_of(killed);
  fs::resize_file(log, fs::file_size(log) - 1);
  fs::remove(killed / "SYNCED");  // it records that the whole record was synced
  {
    const auto store = open(killed);
    EXPECT_THAT(entries_of(*store->snapshot(), {}),
                ElementsAre(Pair("a", "1"), Pair("a2", "2"), Pair("b", "1"), Pair("b2", "2")));
    ASSERT_TRUE(write(*store, {Write::put("d", "1")}).has_value());
  }
  // Writes after the torn one are found behind it.
  EXPECT_EQ(*open(killed)->get("d"), "1");
}

TEST_P(RocksTest, SyncSucceedsAndKeepsWorking) {
  const auto store = open(path_);
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(write(*store, {Write::put(key, "1")}).has_value());
    const auto synced = store->sync();
    ASSERT_TRUE(synced.has_value()) << synced.error().message();
  }
}

class RocksRefusalTest : public testing::Test {
 protected:
  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
};

TEST_F(RocksRefusalTest, ADirectoryIsOpenOnceInOneProcess) {
  const auto store = open_rocks_or_die(path_);
  expect_refused(path_, ErrorCode::Locked,
                 "this process already has " + quoted(path_) + " open; use another directory");
  ASSERT_TRUE(write(*store, {Write::put("a", "1")}).has_value());  // the first is not disturbed
}

TEST_F(RocksRefusalTest, ADirectoryIsOpenOnceAcrossProcesses) {
  open_rocks_or_die(path_).reset();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // another process that holds the store's lock
    const int file = ::open((path_ / "OWNER").c_str(), O_RDWR | O_TRUNC);
    const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    const std::string id = std::to_string(::getpid()) + "\n";
    const bool written = ::write(file, id.data(), id.size()) == static_cast<ssize_t>(id.size());
    if (locked && written && ::write(ready[1], "+", 1) == 1) ::pause();
    ::_exit(1);
  }
  char signal = 0;
  ASSERT_EQ(::read(ready[0], &signal, 1), 1);
  expect_refused(path_, ErrorCode::Locked,
                 "another process (" + std::to_string(child) + ") has " + quoted(path_) +
                     " open; stop it or use another directory");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  open_rocks_or_die(path_);
}

TEST_F(RocksRefusalTest, AForkedChildCannotWrite) {
  const auto store = open_rocks_or_die(path_);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto written = write(*store, {Write::put("a", "child")});
    ::_exit(!written && written.error().code() == ErrorCode::Locked ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(write(*store, {Write::put("a", "parent")}).has_value());
}

TEST_F(RocksRefusalTest, ARelativePathOutlivesTheWorkingDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(scratch_ / "");
  auto store =
      open_rocks_or_die("relative", {.durability = Durability::Relaxed, .write_buffer_bytes = 65'536});
  fs::current_path(before);
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(write(*store, {Write::put("k" + std::to_string(i), std::string(50'000, 'v'))}).has_value());
  store.reset();
  EXPECT_EQ(entries_of(*open_rocks_or_die(scratch_ / "relative")->snapshot(), {}).size(), 20U);
}

TEST_F(RocksRefusalTest, ANewerFormatIsNotTouched) {
  open_rocks_or_die(path_).reset();
  save(path_ / "FORMAT", "tavola store 2\n");
  const auto before = files_below(path_);
  expect_refused(path_, ErrorCode::NewerFormat,
                 quoted(path_) +
                     " was written by a newer Tavola (store format 2, this one reads up to 1); upgrade "
                     "Tavola to open it");
  EXPECT_EQ(files_below(path_), before);
}

TEST_F(RocksRefusalTest, AFormatOfAnotherNameIsNewerToo) {
  open_rocks_or_die(path_).reset();
  save(path_ / "FORMAT", "tavola 99\n");
  expect_refused(
      path_, ErrorCode::NewerFormat,
      "the file " + quoted(path_ / "FORMAT") +
          " says 'tavola 99', which this Tavola does not know: a newer one wrote it; upgrade Tavola to "
          "open the directory");
}

TEST_F(RocksRefusalTest, ADirectoryThatTakesNoneIsNotCalledMissing) {
  expect_refused(
      "/proc/tavola", ErrorCode::Io,
      "cannot create '/proc/tavola': its parent directory '/proc' takes no directories; choose another");
}

TEST_F(RocksRefusalTest, ADamagedFormatIsTold) {
  open_rocks_or_die(path_).reset();
  for (const char* text : {"", "tavola store\n", "tavola store 1", "tavola store 0\n", "tavola store x\n",
                           "1\n", "tavola store 1\nmore", "tavola store 99999999999999999999\n"}) {
    save(path_ / "FORMAT", text);
    expect_refused(
        path_, ErrorCode::Corrupt,
        "the file " + quoted(path_ / "FORMAT") +
            " is damaged; restore the directory from a backup (it does not name a format version); "
            "or read what is left with `tavola repair`");
  }
}

TEST_F(RocksRefusalTest, AMissingFormatIsTold) {
  open_rocks_or_die(path_).reset();
  fs::remove(path_ / "FORMAT");
  expect_refused(
      path_, ErrorCode::Corrupt,
      "the file " + quoted(path_ / "FORMAT") +
          " is missing; restore the directory from a backup; or read what is left with `tavola repair`");
}

TEST_F(RocksRefusalTest, AForeignDirectoryIsNotTouched) {
  fs::create_directory(path_);
  save(path_ / "holiday.jpg", "not ours");
  const auto before = files_below(path_);
  expect_refused(path_, ErrorCode::Io,
                 quoted(path_) +
                     " is not a Tavola directory: it has files (such as 'holiday.jpg') but no FORMAT "
                     "file; choose an empty or a new directory");
  EXPECT_EQ(files_below(path_), before);
}

TEST_F(RocksRefusalTest, WhatAFirstOpenLeftWhenItWasCutShortIsNotForeign) {
  fs::create_directories(path_ / "lost+found");
  save(path_ / "FORMAT.tmp", "tavola st");
  save(path_ / "OWNER", "1\n");
  EXPECT_THAT(entries_of(*open_rocks_or_die(path_)->snapshot(), {}), IsEmpty());
  ScratchDirectory empty;
  open_rocks_or_die(empty.path());
}

TEST_F(RocksRefusalTest, APathThatIsAFile) {
  save(path_, "text");
  expect_refused(path_, ErrorCode::Io, "cannot open " + quoted(path_) + ": it is a file, not a directory");
  expect_refused(path_ / "below", ErrorCode::Io,
                 "cannot create " + quoted(path_ / "below") + ": Not a directory");
}

TEST_F(RocksRefusalTest, AMissingParent) {
  const fs::path below = scratch_ / "no" / "store";
  expect_refused(below, ErrorCode::Io,
                 "cannot create " + quoted(below) + ": its parent directory " + quoted(scratch_ / "no") +
                     " does not exist; create it first");
  EXPECT_FALSE(fs::exists(scratch_ / "no"));
  const auto made = open_memory()->checkpoint(below);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), ErrorCode::Io);
}

TEST_F(RocksRefusalTest, ASlashAtTheEndIsTheSameDirectory) {
  const auto store = open_rocks_or_die(path_.string() + "/");
  expect_refused(path_, ErrorCode::Locked,
                 "this process already has " + quoted(path_) + " open; use another directory");
  ASSERT_TRUE(store->checkpoint((scratch_ / "copy").string() + "/").has_value());
  open_rocks_or_die(scratch_ / "copy");
}

// Root may do everything; as "nobody", this thread's file accesses are checked.
class AsNobody {
 public:
  AsNobody() : before_(static_cast<uid_t>(::setfsuid(65534))) {}
  ~AsNobody() { ::setfsuid(before_); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t before_;
};

TEST_F(RocksRefusalTest, DeniedPermissions) {
  fs::permissions(scratch_.path(), fs::perms(0555));
  {
    const AsNobody nobody;
    expect_refused(path_, ErrorCode::Io, "cannot create " + quoted(path_) + ": Permission denied");
  }
  fs::permissions(scratch_.path(), fs::perms(0755));
  fs::create_directory(path_);
  fs::permissions(path_, fs::perms(0555));
  {
    const AsNobody nobody;
    expect_refused(path_, ErrorCode::Io,
                   "cannot write to the directory " + quoted(path_) + ": Permission denied");
  }
  fs::permissions(path_, fs::perms(0));
  {
    const AsNobody nobody;
    expect_refused(path_, ErrorCode::Io,
                   "cannot read the directory " + quoted(path_) + ": Permission denied");
  }
  fs::permissions(path_, fs::perms(0755));
}

}  // namespace
}  // namespace tavola::store
