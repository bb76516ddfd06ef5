// A store of several logs, as a kill leaves them: gaps in the middle are reported, torn ends are dropped.
#include "store/rocks/rocks_recovery.h"

#include <bit>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "base/files.h"
#include "store/crc32c.h"
#include "store/data_files.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/test_faulty_disk.h"
#include "store/rocks/torn_log.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string contents_of(const fs::path& file) { return read_file(file).value_or(""); }

std::vector<fs::path> logs_of(const fs::path& directory) {
  std::vector<fs::path> logs;
  const auto names = log_files(directory);
  for (const std::string& name : names.value()) logs.push_back(directory / name);
  return logs;
}

void overwrite(const fs::path& file, std::string_view bytes) {
  fs::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

class RecoveryTest : public FaultyDiskTest {
 protected:
  // Leaves `killed_` with two logs to replay, each with some of the keys "0", "1", ... Everything is synced.
  void kill_with_two_logs(Durability durability) {
    const auto disk = std::make_shared<FaultyDisk>();
    auto store =
        open_rocks_on(disk, scratch_ / "store", {.durability = durability, .write_buffer_bytes = 65'536});
    ASSERT_TRUE(store.has_value()) << store.error().message();
    const MutexLock no_data_files(disk->data_files);
    for (std::size_t after_change = 0; after_change < 5; ++keys_) {
      ASSERT_TRUE(write(**store, {Write::put(std::to_string(keys_), std::string(1000, 'v'))}).has_value());
      ASSERT_TRUE((*store)->sync().has_value());
      if (logs_of(scratch_ / "store").size() > 1) ++after_change;
    }
    copy_while_open(scratch_ / "store", killed_);
    logs_ = logs_of(killed_);
    ASSERT_EQ(logs_.size(), 2U);
  }
  void expect_damage(const fs::path& file) {
    const auto opened = open_rocks(killed_, {});
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code(), ErrorCode::Corrupt);
    EXPECT_THAT(opened.error().message(), HasSubstr(file.string() + "' is damaged; restore"));
  }

  ScratchDirectory scratch_;
  fs::path killed_ = scratch_ / "killed";
  std::vector<fs::path> logs_;
  std::size_t keys_ = 0;
};

TEST_F(RecoveryTest, TwoLogsAreReplayed) {
  for (const Durability durability : {Durability::Relaxed, Durability::Deferred}) {
    fs::remove_all(scratch_ / "store");
    fs::remove_all(killed_);
    keys_ = 0;
    kill_with_two_logs(durability);
    const auto store = open_rocks_or_die(killed_);
    EXPECT_EQ(entries_of(*store->snapshot(), {}).size(), keys_);
  }
}

// The later log knows that the end of the older one was on disk.
TEST_F(RecoveryTest, TheEndOfAnOlderLogIsMissed) {
  kill_with_two_logs(Durability::Deferred);
  const std::string whole = contents_of(logs_[0]);
  std::vector<std::size_t> ends;
  for (std::size_t end = whole.size(); end > 0;) {
    end = whole_bytes(whole.substr(0, end - 1));
    ends.push_back(end);
  }
  ASSERT_GT(ends.size(), 10U);
  for (const std::size_t end : {ends[0], ends[2], ends.back()}) {
    SCOPED_TRACE(end);
    overwrite(logs_[0], whole.substr(0, end));
    expect_damage(logs_[0]);
    overwrite(logs_[0], whole.substr(0, end) + std::string(whole.size() - end, '\0'));
    expect_damage(logs_[0]);
  }
  overwrite(logs_[0], whole);
  EXPECT_EQ(entries_of(*open_rocks_or_die(killed_)->snapshot(), {}).size(), keys_);
}

TEST_F(RecoveryTest, AMissingOlderLogIsMissed) {
  kill_with_two_logs(Durability::Deferred);
  fs::remove(logs_[0]);
  const auto opened = open_rocks(killed_, {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message(), HasSubstr(logs_[0].string() + "' is missing; restore"));
  // The writes after it cannot be kept either: the result would be a state that never existed.
  std::vector<std::string> given_up;
  const auto accepted = open_rocks(killed_, {.given_up = &given_up});
  ASSERT_TRUE(accepted.has_value()) << accepted.error().message();
  EXPECT_FALSE(given_up.empty());
  EXPECT_TRUE(entries_of(*(*accepted)->snapshot(), {}).empty());
}

// A loss is forgotten once it was carried out, not when it was accepted.
TEST_F(RecoveryTest, AnAcceptedLossIsToldAgainWhenTheOpeningFailed) {
  kill_with_two_logs(Durability::Deferred);
  const std::string whole = contents_of(logs_[0]);
  const fs::path start = scratch_ / "start";
  fs::rename(killed_, start);
  for (const bool is_missing : {true, false}) {
    for (const Fault fault : {Fault::NoDescriptors, Fault::DiskFull, Fault::SyncFails}) {
      SCOPED_TRACE(testing::Message() << is_missing << " " << static_cast<int>(fault));
      fs::remove_all(killed_);
      fs::copy(start, killed_);
      if (is_missing) {
        fs::remove(logs_[0]);
      } else {
        overwrite(logs_[0], whole.substr(0, whole_bytes(whole.substr(0, whole.size() / 2))));
      }
      std::vector<std::string> given_up;
      const auto disk = std::make_shared<FaultyDisk>();
      disk->set(fault);
      ASSERT_FALSE(open_rocks_on(disk, killed_, {.given_up = &given_up}).has_value());
      const auto without = open_rocks(killed_, {});
      ASSERT_FALSE(without.has_value());
      EXPECT_THAT(without.error().message(), HasSubstr(logs_[0].string()));
      std::size_t left = 0;
      {
        const auto accepted = open_rocks(killed_, {.given_up = &given_up});
        ASSERT_TRUE(accepted.has_value()) << accepted.error().message();
        left = entries_of(*(*accepted)->snapshot(), {}).size();
        EXPECT_EQ(left == 0, is_missing);
      }
      for (int opening = 0; opening < 2; ++opening) {
        EXPECT_EQ(entries_of(*open_rocks_or_die(killed_)->snapshot(), {}).size(), left);
      }
    }
  }
}

// RocksDB may give its number to the new log.
TEST_F(RecoveryTest, AfterALossOfTheNewestLogTheNewOneIsMissed) {
  for (const bool is_missing : {true, false}) {
    SCOPED_TRACE(is_missing);
    fs::remove_all(scratch_ / "store");
    fs::remove_all(killed_);
    keys_ = 0;
    kill_with_two_logs(Durability::Deferred);
    is_missing ? static_cast<void>(fs::remove(logs_[1])) : fs::resize_file(logs_[1], 10);
    std::vector<std::string> given_up;
    {
      const auto store = open_rocks(killed_, {.given_up = &given_up});
      ASSERT_TRUE(store.has_value()) << store.error().message();
      EXPECT_GE(given_up.size(), 1U);
      ASSERT_TRUE(write(**store, {Write::put("new", "1")}).has_value());
      fs::remove_all(scratch_ / "again");
      copy_while_open(killed_, scratch_ / "again");
    }
    const fs::path log = logs_of(scratch_ / "again").back();
    const std::string whole = contents_of(log);
    overwrite(log, whole.substr(0, whole.size() - 1));
    const auto cut = open_rocks(scratch_ / "again", {});
    ASSERT_FALSE(cut.has_value());
    EXPECT_THAT(cut.error().message(), HasSubstr(log.string() + "' is damaged"));
    overwrite(log, whole);
    EXPECT_EQ(*open_rocks_or_die(scratch_ / "again")->get("new"), "1");
    EXPECT_EQ(*open_rocks_or_die(killed_)->get("new"), "1");
  }
}

// A client may write bytes that look like a record of the log.
TEST_F(RecoveryTest, WhatAClientStoredIsNoWitness) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
  const auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const std::string record = number(kFar) + number(std::uint32_t{1}) + "\x03\x08" + number(kFar);
  const std::uint32_t crc = crc32c("\x01" + record);
  const std::string forged = number(static_cast<std::uint32_t>(std::rotr(crc, 15) + 0xA282EAD8U)) +
                             number(static_cast<std::uint16_t>(record.size())) + "\x01" + record;
  {
    const auto store = open_rocks_or_die(scratch_ / "store", {.durability = Durability::Synced});
    ASSERT_TRUE(write(*store, {Write::put("before", "1")}).has_value());
    ASSERT_TRUE(write(*store, {Write::put("forged", forged + std::string(1000, 'v'))}).has_value());
    copy_while_open(scratch_ / "store", killed_);
  }
  const fs::path log = logs_of(killed_).back();
  fs::resize_file(log, fs::file_size(log) - 100);
  fs::remove(killed_ / kSyncedFile);  // it would report the end of the log as missing
  const auto store = open_rocks_or_die(killed_);
  EXPECT_EQ(*store->get("before"), "1");
  EXPECT_EQ(*store->get("forged"), std::nullopt);
}

// RocksDB records a log in its manifest once the log is synced and a newer one was started.
TEST_F(RecoveryTest, DataFilesAreVerifiedWhileTheManifestListsALog) {
  kill_with_two_logs(Durability::Synced);
  const rocksdb::Options options = rocks_options({}, rocksdb::Env::Default());
  EXPECT_TRUE(verify_data_files(options, killed_).has_value());
}

TEST_F(RecoveryTest, ADataFileThatIsMissingOrCutIsReported) {
  const fs::path copy = scratch_ / "checkpoint";
  {
    const auto store = open_rocks_or_die(scratch_ / "store");
    ASSERT_TRUE(write(*store, {Write::put("key", std::string(5000, 'v'))}).has_value());
    ASSERT_TRUE(store->checkpoint(copy).has_value());
  }
  const rocksdb::Options options = rocks_options({}, rocksdb::Env::Default());
  ASSERT_TRUE(verify_data_files(options, copy).has_value());
  for (const auto& entry : fs::directory_iterator(copy)) {
    if (entry.path().extension() != ".sst") continue;
    const std::string file = entry.path().string();
    fs::resize_file(file, fs::file_size(file) - 1);
    const auto cut = verify_data_files(options, copy);
    ASSERT_FALSE(cut.has_value());
    EXPECT_THAT(cut.error().message(), HasSubstr(file + "' is damaged"));
    fs::remove(file);
    const auto missing = verify_data_files(options, copy);
    ASSERT_FALSE(missing.has_value());
    EXPECT_THAT(missing.error().message(), HasSubstr(file + "' is missing"));
  }
}

TEST_F(RecoveryTest, ARangeWithoutAnEndTakesLittleOfTheLog) {
  const auto store = open_rocks_or_die(scratch_ / "store");
  ASSERT_TRUE(write(*store, {Write::erase_range("a", "")}).has_value());
  EXPECT_LT(fs::file_size(logs_of(scratch_ / "store").back()), 100U);
}

// Its log contains the marks of the store that it was made from.
TEST_F(RecoveryTest, ACheckpointHasTheSecretOfItsLog) {
  const auto store = open_rocks_or_die(scratch_ / "store");
  ASSERT_TRUE(store->checkpoint(scratch_ / "copy").has_value());
  const std::string identity = contents_of(scratch_ / "store" / kIdentityFile);
  EXPECT_NE(log_secret(identity), 0U);
  EXPECT_EQ(contents_of(scratch_ / "copy" / kIdentityFile), identity);
  open_rocks_or_die(scratch_ / "copy");
  EXPECT_EQ(contents_of(scratch_ / "copy" / kIdentityFile), identity);
}

}  // namespace
}  // namespace tavola::store
