// A full disk and a failing one, through a file system that fails on demand.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data_files.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/test_faulty_disk.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

class FaultsTest : public FaultyDiskTest {
 protected:
  void open(RocksOptions options = {}) {
    store_.reset();
    auto store = open_rocks_on(disk_, path_, options);
    ASSERT_TRUE(store.has_value()) << store.error().message();
    store_ = std::move(*store);
  }
  ErrorCode code_of_put(const std::string& key) {
    const auto done =
        write(*store_, {Write::put(key, std::string(1000, 'v')), Write::put(key + "'", "pair")});
    if (!done) message_ = done.error().message();
    return done ? ErrorCode::Validation : done.error().code();
  }
  static constexpr ErrorCode kDone = ErrorCode::Validation;  // which no store reports
  ErrorCode code_of_trouble() {
    const std::optional<Error> trouble = store_->trouble();
    return trouble ? trouble->code() : kDone;
  }

  // Puts until a put succeeds, with patience for a slow machine: RocksDB checks for space every five seconds.
  ErrorCode code_of_put_in_time(const std::string& key) {
    constexpr int kTriesMax = 1200;
    ErrorCode code = code_of_put(key);
    for (int tries = 1; code == ErrorCode::DiskFull && tries < kTriesMax; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      code = code_of_put(key);
    }
    return code;
  }

  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
  std::shared_ptr<FaultyDisk> disk_ = std::make_shared<FaultyDisk>();
  std::unique_ptr<Store> store_;
  std::string message_;
};

TEST_F(FaultsTest, AFullDiskRefusesWritesServesReadsAndRecovers) {
  open();
  ASSERT_EQ(code_of_put("before"), kDone);
  disk_->set(Fault::DiskFull);
  EXPECT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  EXPECT_EQ(message_,
            "the disk of '" + path_.string() +
                "' is full; acknowledged writes are safe, and writing (deleting too) resumes by itself some "
                "seconds after 32 MB are free");
  EXPECT_EQ(code_of_put("refused again"), ErrorCode::DiskFull);
  EXPECT_EQ(*store_->get("refused"), std::nullopt);
  EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
  EXPECT_EQ(entries_of(*store_->snapshot(), {}).size(), 2U);
  EXPECT_EQ(code_of_trouble(), ErrorCode::DiskFull);
  disk_->set(Fault::None);
  // A monitor sees that the store accepts writes again, without writing.
  for (int tries = 0; code_of_trouble() != kDone && tries < 1200; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(code_of_trouble(), kDone);
  EXPECT_EQ(code_of_put("after"), kDone) << message_;
  const Entries acknowledged = entries_of(*store_->snapshot(), {});
  EXPECT_EQ(acknowledged.size(), 4U);
  open();
  EXPECT_EQ(entries_of(*store_->snapshot(), {}), acknowledged);
}

TEST_F(FaultsTest, ADiskThatFillsUpWhileDataMovesToFilesLosesNothing) {
  const RocksOptions small{.durability = Durability::Relaxed, .write_buffer_bytes = 65'536};
  open(small);
  std::vector<std::string> acknowledged;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 300; ++i) {
      disk_->set(i >= 150 && i < 250 ? Fault::DiskFull : Fault::None);
      const std::string key = std::to_string(round) + "/" + std::to_string(i);
      const ErrorCode code = i == 250 ? code_of_put_in_time(key) : code_of_put(key);
      ASSERT_EQ(code, i >= 150 && i < 250 ? ErrorCode::DiskFull : kDone) << message_;
      if (code == kDone) acknowledged.push_back(key);
    }
    const fs::path killed = scratch_ / ("killed-" + std::to_string(round));
    copy_while_open(path_, killed);
    const auto reopened = open_rocks_or_die(killed);
    for (const std::string& key : acknowledged) ASSERT_EQ(*reopened->get(key), std::string(1000, 'v')) << key;
  }
  for (int reopened = 0; reopened < 2; ++reopened) {
    for (const std::string& key : acknowledged) {
      ASSERT_EQ(*store_->get(key), std::string(1000, 'v')) << key;
      ASSERT_EQ(*store_->get(key + "'"), "pair") << key;
    }
    open(small);
  }
}

// RocksDB's own sync of the log would stop the process here.
TEST_F(FaultsTest, AStoreOnAFullDiskCanBeSyncedAndClosed) {
  for (const Durability durability : {Durability::Synced, Durability::Relaxed, Durability::Deferred}) {
    fs::remove_all(path_);
    open({.durability = durability});
    ASSERT_EQ(code_of_put("before"), kDone);
    disk_->set(Fault::DiskFull);
    ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
    EXPECT_TRUE(store_->sync().has_value()) << "the log's file is there, and what was acknowledged is in it";
    store_.reset();
    disk_->set(Fault::None);
    open({.durability = durability});
    EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
    EXPECT_EQ(*store_->get("refused"), std::nullopt);
    store_.reset();
  }
}

TEST_F(FaultsTest, ADiskThatIsFullFromTheBeginning) {
  open();
  disk_->set(Fault::DiskFull);
  ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  disk_->set(Fault::None);
  EXPECT_EQ(code_of_put_in_time("after"), kDone) << message_;
  EXPECT_EQ(code_of_put("more"), kDone) << message_;
  open();
  EXPECT_EQ(entries_of(*store_->snapshot(), {}).size(), 4U);
}

std::string newest_log(const fs::path& directory) {
  std::string newest;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".log") newest = std::max(newest, entry.path().filename().string());
  }
  return newest;
}

// RocksDB would resume with a log that accepts nothing any more, and stop the process.
TEST_F(FaultsTest, ADiskThatIsFullWhenANewLogBegins) {
  const RocksOptions small{.durability = Durability::Relaxed, .write_buffer_bytes = 65'536};
  open(small);
  const std::string first_log = newest_log(path_);
  int puts = 0;  // until the log was switched: the last of them was the first in the new one
  for (; newest_log(path_) == first_log; ++puts) ASSERT_EQ(code_of_put(std::to_string(puts)), kDone);
  store_.reset();
  fs::remove_all(path_);
  open(small);
  for (int i = 0; i < puts - 1; ++i) ASSERT_EQ(code_of_put(std::to_string(i)), kDone);
  disk_->set(Fault::DiskFull);
  ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  disk_->set(Fault::None);
  const std::string stuck =
      "the disk of '" + path_.string() +
      "' was full when a new log was started; acknowledged writes are safe, and writing "
      "resumes when the directory is opened again";
  for (int tries = 0; message_ != stuck && tries < 1200; ++tries) {
    ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(message_, stuck);
  EXPECT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  open(small);
  EXPECT_EQ(entries_of(*store_->snapshot(), {}).size(), static_cast<std::size_t>(puts - 1) * 2);
  EXPECT_EQ(code_of_put("after"), kDone);
}

// A checkpoint that fails after the flush leaves an empty memory, with which the store could not recover from a full
// disk.
TEST_F(FaultsTest, ACheckpointThatFailsHalfWayLeavesAStoreThatGetsOverAFullDisk) {
  open();
  ASSERT_EQ(code_of_put("before"), kDone);
  disk_->set(Fault::FullForCopy);
  ASSERT_FALSE(store_->checkpoint(scratch_ / "copy"));
  disk_->set(Fault::DiskFull);
  ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  disk_->set(Fault::None);
  EXPECT_EQ(code_of_put_in_time("after"), kDone) << message_;
  EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
}

TEST_F(FaultsTest, AKilledProcessOnAFullDiskLosesNothingAcknowledged) {
  open();
  ASSERT_EQ(code_of_put("before"), kDone);
  disk_->set(Fault::DiskFull);
  ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  copy_while_open(path_, scratch_ / "killed");  // with the part of the refused write that reached the disk
  const auto reopened = open_rocks_or_die(scratch_ / "killed");
  EXPECT_EQ(*reopened->get("before"), std::string(1000, 'v'));
  EXPECT_EQ((*reopened->get("refused")).has_value(), (*reopened->get("refused'")).has_value());
  ASSERT_TRUE(write(*reopened, {Write::put("after", "1")}).has_value());
}

// After a failed sync it is unknown what is on disk: writing stops until the files are read again.
TEST_F(FaultsTest, AFailingDiskStopsWritingUntilReopened) {
  for (const Fault fault : {Fault::WriteFails, Fault::SyncFails}) {
    fs::remove_all(path_);
    open();
    ASSERT_EQ(code_of_put("before"), kDone);
    disk_->set(fault);
    EXPECT_EQ(code_of_put("refused"), ErrorCode::Io);
    EXPECT_EQ(message_, "cannot write the files in '" + path_.string() +
                            "'; check the disk and open the directory again (IO error: Input/output error)");
    disk_->set(Fault::None);
    EXPECT_EQ(code_of_put("refused too"), ErrorCode::Io);
    EXPECT_EQ(code_of_trouble(), ErrorCode::Io);
    EXPECT_EQ(*store_->get("refused"), std::nullopt);
    EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
    open();
    EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
    EXPECT_EQ(*store_->get("refused too"), std::nullopt);
    EXPECT_EQ((*store_->get("refused")).has_value(), (*store_->get("refused'")).has_value());
    EXPECT_EQ(code_of_put("after"), kDone) << message_;
    store_.reset();
  }
}

// RocksDB finds it when it merges files, and refuses all writes from then on.
TEST_F(FaultsTest, DamageThatACompactionFindsIsTrouble) {
  open({.durability = Durability::Relaxed, .write_buffer_bytes = 65'536});
  const auto data_files = [this] {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() == ".sst" && entry.file_size() > 0) files.push_back(entry.path());
    }
    return files;
  };
  int puts = 0;
  const auto put_until_files = [&](std::size_t count) {
    while (data_files().size() < count) ASSERT_EQ(code_of_put(std::to_string(++puts % 100)), kDone);
  };
  put_until_files(1);
  std::fstream(data_files().front(), std::ios::in | std::ios::out | std::ios::binary).write("damage", 6);
  put_until_files(3);
  {
    // Four files are merged. The fourth comes after the last write: a write that is refused would be trouble by itself.
    const MutexLock no_data_files(disk_->data_files);
    const auto newest_log = [this] { return log_files(path_).value().back(); };
    const std::string full_log = newest_log();
    while (newest_log() == full_log) ASSERT_EQ(code_of_put(std::to_string(++puts % 100)), kDone);
  }
  for (int tries = 0; code_of_trouble() == kDone && tries < 1200; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(code_of_trouble(), ErrorCode::Corrupt);
  EXPECT_EQ(code_of_put("after"), ErrorCode::Corrupt);
}

// The write that needs a new log is refused, and so are others until RocksDB has retried.
TEST_F(FaultsTest, WritingResumesWhenThereAreDescriptorsAgain) {
  for (const Durability durability : {Durability::Deferred, Durability::Relaxed, Durability::Synced}) {
    fs::remove_all(path_);
    const RocksOptions small{.durability = durability, .write_buffer_bytes = 65'536};
    open(small);
    std::vector<std::string> acknowledged;
    for (int round = 0; round < 2; ++round) {
      disk_->set(Fault::NoDescriptors);
      ErrorCode code = kDone;
      for (int i = 0; i < 500 && code == kDone; ++i) {
        const std::string key = std::to_string(round) + "/" + std::to_string(i);
        code = code_of_put(key);
        if (code == kDone) acknowledged.push_back(key);
      }
      EXPECT_EQ(code, ErrorCode::Io);
      EXPECT_THAT(message_, testing::AllOf(testing::HasSubstr("too many files are open"),
                                           testing::HasSubstr("the store resumes by itself")));
      EXPECT_EQ(code_of_trouble(), ErrorCode::Io);
      disk_->set(Fault::None);
      for (int tries = 0; code_of_trouble() != kDone && tries < 1200; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      EXPECT_EQ(code_of_put("after"), kDone) << message_;
    }
    open(small);
    for (const std::string& key : acknowledged) ASSERT_EQ(*store_->get(key), std::string(1000, 'v')) << key;
    store_.reset();
  }
}

// The files of an open store are deleted or moved.
class LostFilesTest : public FaultsTest {
 protected:
  // A loss, and its reversal if possible.
  struct Loss {
    std::string name;
    std::function<void()> lose;
    std::function<void()> undo;
  };
  std::vector<Loss> losses() const {
    const fs::path away = scratch_ / "away";
    const auto log = [this] { return path_ / newest_log(path_); };
    return {
        {"directory deleted", [this] { remove_directory(); }, {}},
        {"directory moved", [=, this] { fs::rename(path_, away); }, [=, this] { fs::rename(away, path_); }},
        {"log deleted", [=] { fs::remove(log()); }, {}},
        {"log moved", [=] { fs::rename(log(), away); }, [=, this] { fs::rename(away, path_ / log_name_); }},
        {"log replaced by a copy",
         [=, this] {
           fs::rename(log(), away);
           fs::copy(away, path_ / log_name_);
         },
         [=, this] { fs::rename(away, path_ / log_name_); }},
    };
  }
  // RocksDB may remove a file concurrently.
  void remove_directory() const {
    std::error_code error;
    do {
      fs::remove_all(path_, error);
    } while (fs::exists(path_));
  }
  // The next write is refused, at the latest a tenth of a second after the loss.
  ErrorCode code_of_refusal() {
    ErrorCode code = code_of_durable_put("after the loss");
    for (int tries = 0; code == kDone && tries < 1200; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      code = code_of_durable_put("after the loss");
    }
    return code;
  }
  ErrorCode code_of_durable_put(const std::string& key) {
    const ErrorCode code = code_of_put(key);
    if (code != kDone) return code;
    std::promise<Result<void>> reported;
    store_->when_durable([&](const Result<void>& result) { reported.set_value(result); });
    const Result<void> durable = reported.get_future().get();
    if (!durable) message_ = durable.error().message();
    return durable ? kDone : durable.error().code();
  }

  std::string log_name_;
};

TEST_F(LostFilesTest, WritesAreRefusedInWordsReadsGoOnAndTheStoreEnds) {
  for (const Durability durability : {Durability::Deferred, Durability::Relaxed, Durability::Synced}) {
    for (const Loss& loss : losses()) {
      if (durability != Durability::Deferred && loss.undo) continue;  // opening takes long
      SCOPED_TRACE(loss.name + ", durability " + std::to_string(static_cast<int>(durability)));
      fs::remove_all(path_);
      fs::remove_all(scratch_ / "away");
      open({.durability = durability});
      ASSERT_EQ(code_of_durable_put("before"), kDone);
      ASSERT_EQ(store_->trouble(), std::nullopt);
      log_name_ = newest_log(path_);
      loss.lose();
      EXPECT_EQ(code_of_refusal(), ErrorCode::Io);
      EXPECT_THAT(message_, testing::AllOf(testing::HasSubstr("cannot be found"),
                                           testing::HasSubstr("Put it back unchanged, or stop the server")));
      EXPECT_EQ(code_of_trouble(), ErrorCode::Io);
      EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
      EXPECT_EQ(code_of_put("refused"), ErrorCode::Io);
      if (loss.undo) {
        loss.undo();
        for (int tries = 0; code_of_trouble() != kDone && tries < 1200; ++tries) {
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_EQ(code_of_trouble(), kDone) << store_->trouble()->message();
        EXPECT_EQ(code_of_durable_put("back"), kDone) << message_;
        EXPECT_EQ(*store_->get("refused"), std::nullopt);
        open({.durability = durability});
        EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
        EXPECT_EQ(*store_->get("back"), std::string(1000, 'v'));
      } else if (durability != Durability::Synced) {
        EXPECT_FALSE(store_->sync().has_value()) << "nobody is reported that lost writes are safe";
      }
      store_.reset();
    }
  }
}

TEST_F(FaultsTest, ManyWritersMeetAFullDisk) {
  open({.durability = Durability::Relaxed});
  constexpr int kThreads = 4;
  std::vector<std::vector<std::string>> acknowledged(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 300; ++i) {
          if (thread == 0) disk_->set(i % 100 < 50 ? Fault::None : Fault::DiskFull);
          const std::string key = std::to_string(thread) + "/" + std::to_string(i);
          const auto done = write(*store_, {Write::put(key, "v")});
          if (done) acknowledged[thread].push_back(key);
          ASSERT_TRUE(done || done.error().code() == ErrorCode::DiskFull) << done.error().message();
        }
      });
    }
  }
  disk_->set(Fault::None);
  ASSERT_EQ(code_of_put_in_time("after"), kDone) << message_;
  open();
  for (const auto& keys : acknowledged) {
    for (const std::string& key : keys) ASSERT_EQ(*store_->get(key), "v") << key;
  }
}

}  // namespace
}  // namespace tavola::store
