// Missing acknowledged writes are detected: in a closed store, after a kill, and in a copy of an open store.
#include "store/rocks/synced_facts.h"

#include <fstream>
#include <map>
#include <sstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/rocks/closed_mark.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

std::map<std::string, std::string> files_of(const fs::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name == "OWNER" || name.starts_with("LOG")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    contents.emplace(name, text.str());
  }
  return contents;
}

void overwrite(const fs::path& file, std::size_t at, char byte) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(byte);
}

class SyncedFilesTest : public testing::TestWithParam<Durability> {
 protected:
  // A store with a data file (of the checkpoint) and some writes in its log.
  void make_store() {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    ASSERT_TRUE(write(*store, {Write::put("filed", "1")}).has_value());
    ASSERT_TRUE(store->checkpoint(scratch_ / "checkpoint").has_value());
    for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(write(*store, {Write::put(key, "1")}).has_value());
  }
  fs::path file_of(const fs::path& directory, std::string_view part) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (name.find(part) != std::string::npos && fs::file_size(entry.path()) > 0) return entry.path();
    }
    ADD_FAILURE() << "no file " << part;
    return {};
  }
  void expect_told(const fs::path& directory, const fs::path& file, const std::string& fate = "damaged") {
    const auto before = files_of(directory);
    const auto store = open_rocks(directory, {.durability = GetParam()});
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code(), ErrorCode::Corrupt);
    EXPECT_THAT(store.error().message(), StartsWith("the file '" + file.string() + "' is " + fate +
                                                    "; restore the directory from a backup"));
    EXPECT_EQ(files_of(directory), before) << "nothing is touched";
  }

  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
};
INSTANTIATE_TEST_SUITE_P(, SyncedFilesTest, testing::Values(Durability::Synced, Durability::Relaxed),
                         [](const auto& instance) {
                           return instance.param == Durability::Synced ? "Synced" : "Relaxed";
                         });

TEST_P(SyncedFilesTest, EveryCutOfTheManifestIsTold) {
  make_store();
  for (const fs::path& directory : {path_, scratch_ / "checkpoint"}) {
    const fs::path manifest = file_of(directory, "MANIFEST-");
    const std::string whole = files_of(directory)[manifest.filename().string()];
    ASSERT_FALSE(whole.empty());
    for (std::size_t size = whole.size(); size-- > 0;) {
      SCOPED_TRACE(directory.filename().string() + ", " + std::to_string(size) + " bytes");
      fs::resize_file(manifest, size);
      expect_told(directory, manifest);
    }
    save(manifest, whole);
    EXPECT_EQ(*open_rocks_or_die(directory)->get("filed"), "1");
  }
}

TEST_P(SyncedFilesTest, EveryCutAndEveryFlippedBitOfTheLogIsTold) {
  make_store();
  const fs::path log = file_of(path_, ".log");
  const std::string whole = files_of(path_)[log.filename().string()];
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    overwrite(log, at, static_cast<char>(whole[at] ^ (1 << at % 8)));
    expect_told(path_, log);
    overwrite(log, at, whole[at]);
  }
  for (std::size_t size = whole.size(); size-- > 0;) {
    SCOPED_TRACE(size);
    fs::resize_file(log, size);
    expect_told(path_, log);
  }
  std::string zeros = whole;
  std::fill(zeros.begin() + static_cast<std::ptrdiff_t>(zeros.size() / 2), zeros.end(), '\0');
  save(log, zeros);
  expect_told(path_, log);
  fs::remove(log);
  expect_told(path_, log, "missing");
  save(log, whole);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

TEST_P(SyncedFilesTest, AfterAKillTheLogIsMissed) {
  make_store();
  const fs::path killed = scratch_ / "killed";
  {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    for (const char* key : {"d", "e", "f"}) ASSERT_TRUE(write(*store, {Write::put(key, "1")}).has_value());
    copy_while_open(path_, killed);
  }
  const fs::path log = file_of(killed, ".log");
  const std::string whole = files_of(killed)[log.filename().string()];
  save(log, "");
  expect_told(killed, log);
  fs::remove(log);
  expect_told(killed, log, "missing");
  if (GetParam() == Durability::Synced) {
    save(log, whole.substr(0, whole.size() - 1));
    expect_told(killed, log);
  }
  // A loss that was given up is reported once.
  fs::remove(log);
  std::vector<std::string> given_up;
  const auto opened = open_rocks(killed, {.durability = GetParam(), .given_up = &given_up});
  ASSERT_TRUE(opened.has_value()) << opened.error().message();
  EXPECT_THAT(given_up, testing::ElementsAre(testing::HasSubstr(log.string() + "' is missing")));
  EXPECT_EQ(*(*opened)->get("c"), "1");
  EXPECT_EQ(*(*opened)->get("d"), std::nullopt);
}

// A snapshot of the disk contains the synced data. It may be restored while the machine keeps running.
TEST(SyncedFilesOfADeferredStore, MissNothingThatWasNotSynced) {
  const ScratchDirectory scratch;
  const fs::path killed = scratch / "killed";
  std::uintmax_t synced = 0;
  {
    const auto store = open_rocks_or_die(scratch / "store", {.durability = Durability::Deferred});
    ASSERT_TRUE(write(*store, {Write::put("a", "1")}).has_value());
    ASSERT_TRUE(store->sync().has_value());
    synced = fs::file_size(scratch / "store" / log_files(scratch / "store")->back());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(write(*store, {Write::put("b", std::string(100'000, 'v'))}).has_value());
    }
    copy_while_open(scratch / "store", killed);
  }
  const fs::path log = killed / log_files(killed)->back();
  const std::string whole = read_file(log).value_or("");
  save(log, whole.substr(0, synced - 1));
  const auto cut = open_rocks(killed, {});
  ASSERT_FALSE(cut.has_value());
  EXPECT_THAT(cut.error().message(), testing::HasSubstr(std::to_string(synced) + ", all acknowledged"));
  save(log, whole.substr(0, synced));
  const auto store = open_rocks_or_die(killed);
  EXPECT_EQ(*store->get("a"), "1");
  EXPECT_EQ(*store->get("b"), std::nullopt);
}

// A kill may come after CURRENT was renamed, and before SYNCED records it.
TEST_P(SyncedFilesTest, AManifestThatWasNamedJustBeforeAKillIsKnownAtEveryOpening) {
  make_store();
  const auto closed = check_files(path_);
  ASSERT_TRUE(closed.has_value());
  SyncedFacts facts = closed->facts;
  facts.current = "MANIFEST-000001";
  facts.manifests[facts.current] = {.bytes = 1, .checksum = 1};
  for (int opening = 0; opening < 2; ++opening) {
    save(path_ / kSyncedFile, to_text(facts));
    const auto check = check_files(path_);
    ASSERT_TRUE(check.has_value()) << check.error().message();
    facts = check->facts;
  }
  EXPECT_EQ(*open_rocks_or_die(path_)->get("filed"), "1");
}

TEST_P(SyncedFilesTest, ALogWithNothingInItIsNotMissed) {
  make_store();
  const fs::path killed = scratch_ / "killed";
  {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    copy_while_open(path_, killed);
  }
  const auto logs = log_files(killed);
  for (const std::string& name : logs.value()) {
    if (fs::file_size(killed / name) == 0) fs::remove(killed / name);
  }
  EXPECT_EQ(*open_rocks_or_die(killed)->get("c"), "1");
}

TEST_P(SyncedFilesTest, ADirectoryOfAnOlderTavolaOpens) {
  make_store();
  const fs::path manifest = file_of(path_, "MANIFEST-");
  const fs::path log = file_of(path_, ".log");
  fs::remove(path_ / kSyncedFile);
  const auto closed = [&](std::uintmax_t more) {
    return manifest.filename().string() + " " + std::to_string(fs::file_size(manifest) + more) + "\n" +
           log.filename().string() + " " + std::to_string(fs::file_size(log)) + "\n";
  };
  save(path_ / kClosedFile, closed(1));
  expect_told(path_, manifest);
  save(path_ / kClosedFile, closed(0));
  const std::string whole = files_of(path_)[manifest.filename().string()];
  overwrite(manifest, 5, static_cast<char>(whole[5] ^ 0x40));  // the first record looks longer than the file
  expect_told(path_, manifest);
  overwrite(manifest, 5, whole[5]);
  EXPECT_EQ(*open_rocks_or_die(path_, {.durability = GetParam()})->get("c"), "1");
  EXPECT_FALSE(fs::exists(path_ / kClosedFile));
  fs::remove(path_ / kSyncedFile);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1") << "nor was CLOSED always there";
}

// An older Tavola starts a new manifest and does not know SYNCED.
TEST_P(SyncedFilesTest, AnOlderTavolaMayHaveHadItOpenSince) {
  make_store();
  const std::string before = files_of(path_)[kSyncedFile];
  {
    open_rocks_or_die(path_, {.durability = GetParam()});
  }
  save(path_ / kSyncedFile, before);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

// So does a copy whose SYNCED was read before the store was opened, and the rest after it.
TEST_P(SyncedFilesTest, FilesThatAreNewerThanSyncedAreReadWhole) {
  make_store();
  const std::string before = files_of(path_)[kSyncedFile];
  {
    open_rocks_or_die(path_, {.durability = GetParam()});
  }
  save(path_ / kSyncedFile, before);
  const fs::path data = file_of(path_, ".sst");
  const std::string whole = files_of(path_)[data.filename().string()];
  overwrite(data, 10, '\x55');
  expect_told(path_, data);
  fs::remove(data);
  expect_told(path_, data, "missing");
  save(data, whole);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

// A failed opening may leave a manifest that CURRENT never names.
TEST_P(SyncedFilesTest, AManifestThatWasNeverNamedIsForgotten) {
  make_store();
  const auto closed = check_files(path_);
  ASSERT_TRUE(closed.has_value());
  SyncedFacts facts = closed->facts;
  facts.manifests["MANIFEST-999999"] = {.bytes = 1, .checksum = 1};
  save(path_ / kSyncedFile, to_text(facts));
  {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    ASSERT_TRUE(write(*store, {Write::put("d", "1")}).has_value());
    ASSERT_TRUE(store->checkpoint(scratch_ / "another").has_value()) << "which changes the manifest";
    const auto open = check_files(path_);
    ASSERT_TRUE(open.has_value());
    ASSERT_EQ(open->facts.manifests.size(), 1U);
    EXPECT_EQ(open->facts.manifests.begin()->first, current_manifest(path_));
  }
  EXPECT_EQ(check_files(path_)->facts.manifests.size(), 1U);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

TEST_P(SyncedFilesTest, AMarkOfAnOlderTavolaThatNobodyCanReadSaysNothing) {
  make_store();
  const std::string manifest = file_of(path_, "MANIFEST-").filename().string();
  for (const std::string& text :
       std::vector<std::string>{"", "\n", manifest, manifest + " 99999", manifest + "\n", manifest + " \n",
                                manifest + " x\n", manifest + " 99999 \n", manifest + " 99999\n99999.log 1",
                                manifest + " -1\n", manifest + " 99999999999999999999999\n",
                                "MANIFEST-000001 99999\n", std::string(300, 'x'), std::string(20, '\0')}) {
    save(path_ / "CLOSED", text);
    const auto checked = check_closed_mark(path_);
    EXPECT_TRUE(checked.has_value()) << text << ": " << checked.error().message();
  }
  save(path_ / "CLOSED", manifest + " 99999\n");  // that one can be read
  EXPECT_FALSE(check_closed_mark(path_).has_value());
}

TEST_P(SyncedFilesTest, ADamagedSyncedFileIsTold) {
  make_store();
  const std::string whole = files_of(path_)[kSyncedFile];
  for (const std::string& text :
       {std::string(), std::string("x"), whole.substr(0, 40), std::string(200, '\0')}) {
    save(path_ / kSyncedFile, text);
    expect_told(path_, path_ / kSyncedFile);
  }
  std::string flipped = whole;
  flipped[flipped.find("opened") + 9] ^= 1;
  save(path_ / kSyncedFile, flipped);
  expect_told(path_, path_ / kSyncedFile);
  std::vector<std::string> given_up;
  ASSERT_TRUE(open_rocks(path_, {.given_up = &given_up}).has_value());
  EXPECT_EQ(given_up.size(), 1U);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

TEST_P(SyncedFilesTest, EveryFlippedBitOfTheFirstLineIsTold) {
  make_store();
  const std::string whole = files_of(path_)[kSyncedFile];
  for (std::size_t at = 0; at <= whole.find('\n'); ++at) {
    SCOPED_TRACE(at);
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    save(path_ / kSyncedFile, flipped);
    expect_told(path_, path_ / kSyncedFile);
  }
}

// A power cut drops unsynced pages in any order.
TEST_P(SyncedFilesTest, AHoleBehindWhatWasSyncedIsNoDamage) {
  make_store();
  const std::string whole = files_of(path_)[kSyncedFile];
  const std::string hole = std::string(100, '\0') + "\n";
  const std::string cut = synced_line("current MANIFEST-999999");
  const std::string log = synced_line("log 999999.log 5 5");
  const std::string manifest = synced_line("manifest MANIFEST-999999 5 00000000");
  for (const std::string& end :
       {hole, hole + log, hole + cut.substr(9) + log + manifest, hole + manifest + log}) {
    save(path_ / kSyncedFile, whole + end);
    const auto check = check_files(path_);
    ASSERT_TRUE(check.has_value()) << check.error().message();
    EXPECT_TRUE(check->losses.empty()) << check->losses.front().message();
    EXPECT_FALSE(check->facts.logs.contains(999999));
  }
  for (const std::string& end :
       {hole + manifest + manifest, hole + manifest + hole + log + synced_line("closed")}) {
    save(path_ / kSyncedFile, whole + end);
    expect_told(path_, path_ / kSyncedFile);
  }
}

// `cp -r` reads each file at another time. Whatever it read, everything from before it started must be in the copy.
TEST_P(SyncedFilesTest, ACopyOfAnOpenStoreIsRefusedOrComplete) {
  const RocksOptions options{.durability = GetParam(), .write_buffer_bytes = 65'536};
  auto store = open_rocks_or_die(path_, options);
  const auto fill = [&](const std::string& prefix) {
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(
          write(*store, {Write::put(prefix + std::to_string(i), std::string(2000, 'v'))}).has_value());
    }
    ASSERT_TRUE(store->sync().has_value());
  };
  fill("early");
  const fs::path early = scratch_ / "early";
  copy_while_open(path_, early);
  fill("late");
  const fs::path late = scratch_ / "late";
  copy_while_open(path_, late);
  store.reset();
  std::map<std::string, std::string> files[] = {files_of(early), files_of(late)};
  std::vector<std::string> differing;
  for (const auto& [name, bytes] : files[0]) {
    if (!files[1].contains(name) || files[1][name] != bytes) differing.push_back(name);
  }
  for (const auto& [name, bytes] : files[1]) {
    if (!files[0].contains(name)) differing.push_back(name);
  }
  ASSERT_LE(differing.size(), 9U);
  int opened = 0;
  const unsigned combinations = 1U << differing.size();
  for (unsigned choice = 0; choice < combinations; ++choice) {
    const fs::path copy = scratch_ / ("copy-" + std::to_string(choice));
    fs::create_directory(copy);
    for (const auto& [name, bytes] : files[0]) {
      if (files[1].contains(name) && files[1][name] == bytes) save(copy / name, bytes);
    }
    std::string trace;
    for (std::size_t i = 0; i < differing.size(); ++i) {
      auto& moment = files[(choice >> i) & 1];
      if (!moment.contains(differing[i])) continue;
      save(copy / differing[i], moment[differing[i]]);
      trace += differing[i] + ((choice >> i) & 1 ? " late, " : " early, ");
    }
    SCOPED_TRACE(trace);
    if (const auto result = open_rocks(copy, {}); result.has_value()) {
      ++opened;
      EXPECT_EQ(entries_of(*(*result)->snapshot(), {"early", "early~"}).size(), 40U);
    } else {
      EXPECT_EQ(result.error().code(), ErrorCode::Corrupt);
    }
    fs::remove_all(copy);
  }
  EXPECT_GE(opened, 2) << "those of one moment";
}

TEST_P(SyncedFilesTest, ACopyOfAnOpenStoreIsReadWhole) {
  const fs::path copy = scratch_ / "copy";
  {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    ASSERT_TRUE(write(*store, {Write::put("filed", std::string(5000, 'v'))}).has_value());
    ASSERT_TRUE(store->checkpoint(scratch_ / "checkpoint").has_value());
    copy_while_open(path_, copy);
  }
  const fs::path data = file_of(copy, ".sst");
  overwrite(data, 10, '\x55');
  expect_told(copy, data);
  EXPECT_THAT(read_file(copy / "LOG").value_or(""), testing::HasSubstr("reading all data files"));
}

TEST_P(SyncedFilesTest, WhoRemovesOwnerAndLockDoesNotLetASecondIn) {
  const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
  fs::remove(path_ / "OWNER");
  fs::remove(path_ / "LOCK");
  const auto second = open_rocks(path_, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::Locked);
}

TEST_P(SyncedFilesTest, FilesAreForTheirOwnerAlone) {
  const mode_t before = ::umask(0);
  make_store();
  ::umask(before);
  for (const fs::path& directory : {path_, scratch_ / "checkpoint"}) {
    EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all) << directory;
    for (const auto& entry : fs::directory_iterator(directory)) {
      EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
    }
  }
}

TEST_P(SyncedFilesTest, AFileThatCannotBeWrittenIsNotMissed) {
  make_store();
  fs::remove(path_ / kSyncedFile);
  const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
  fs::create_directory(path_ / "SYNCED.tmp");
  ASSERT_TRUE(write(*store, {Write::put("d", "1")}).has_value());
  ASSERT_TRUE(store->checkpoint(scratch_ / "another").has_value());
}

}  // namespace
}  // namespace tavola::store
