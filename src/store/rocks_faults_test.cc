// A full disk and a failing one, through a file system that fails on demand.
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "store/rocks_options.h"
#include "store/stores_under_test.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

enum class Fault : std::uint8_t { None, DiskFull, WriteFails, SyncFails };

rocksdb::IOStatus disk_full() {
  // As RocksDB's own file system reports ENOSPC.
  rocksdb::IOStatus status = rocksdb::IOStatus::NoSpace("No space left on device");
  status.SetRetryable(true);
  return status;
}

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::atomic<Fault>& fault)
      : FSWritableFileOwnerWrapper(std::move(file)), fault_(fault) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (fault_ == Fault::WriteFails) return rocksdb::IOStatus::IOError("Input/output error");
    if (fault_ != Fault::DiskFull) return target()->Append(data, options, debug);
    // The last blocks of the disk take a part of it.
    target()->Append(rocksdb::Slice(data.data(), data.size() / 2), options, debug).PermitUncheckedError();
    return disk_full();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (fault_ == Fault::SyncFails) return rocksdb::IOStatus::IOError("Input/output error");
    return target()->Sync(options, debug);
  }

 private:
  const std::atomic<Fault>& fault_;
};

class FaultyDisk final : public rocksdb::FileSystemWrapper {
 public:
  FaultyDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyDisk"; }

  void set(Fault fault) { fault_ = fault; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, &file, debug);
    if (status.ok()) *result = std::make_unique<FaultyFile>(std::move(file), fault_);
    return status;
  }
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, std::uint64_t* free,
                                 rocksdb::IODebugContext*) override {
    *free = fault_ == Fault::DiskFull ? 0 : std::uint64_t{1} << 40;
    return rocksdb::IOStatus::OK();
  }

 private:
  std::atomic<Fault> fault_ = Fault::None;
};

class FaultsTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP()
        << "RocksDB, which is not compiled for ThreadSanitizer, passes our files from thread to thread";
#endif
  }
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

  // RocksDB looks for space every five seconds. Puts until a put is done, with patience for a slow machine.
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
                "' is full; what was acknowledged is safe, and writing goes on when there is space");
  EXPECT_EQ(code_of_put("refused again"), ErrorCode::DiskFull);
  EXPECT_EQ(*store_->get("refused"), std::nullopt);
  EXPECT_EQ(*store_->get("before"), std::string(1000, 'v'));
  EXPECT_EQ(entries_of(*store_->snapshot(), {}).size(), 2U);
  disk_->set(Fault::None);
  EXPECT_EQ(code_of_put_in_time("after"), kDone) << message_;
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
  }
  for (int reopened = 0; reopened < 2; ++reopened) {
    for (const std::string& key : acknowledged) {
      ASSERT_EQ(*store_->get(key), std::string(1000, 'v')) << key;
      ASSERT_EQ(*store_->get(key + "'"), "pair") << key;
    }
    open(small);
  }
}

TEST_F(FaultsTest, AKilledProcessOnAFullDiskLosesNothingAcknowledged) {
  open();
  ASSERT_EQ(code_of_put("before"), kDone);
  disk_->set(Fault::DiskFull);
  ASSERT_EQ(code_of_put("refused"), ErrorCode::DiskFull);
  copy_while_open(path_, scratch_ / "killed");  // with the half of the refused write that the disk took
  const auto reopened = open_rocks_or_die(scratch_ / "killed");
  EXPECT_EQ(*reopened->get("before"), std::string(1000, 'v'));
  EXPECT_EQ((*reopened->get("refused")).has_value(), (*reopened->get("refused'")).has_value());
  ASSERT_TRUE(write(*reopened, {Write::put("after", "1")}).has_value());
}

// After a failed sync nobody knows what is on the disk: writing stops until the files are read again.
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
