// A file system that fails on demand, and knows how much of each log was synced. For tests only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "base/locks.h"

namespace tavola::store {

enum class Fault : std::uint8_t {
  None,
  DiskFull,
  FullForCopy,  // in the directory "copy" alone
  WriteFails,
  SyncFails,
  SyncFindsDiskFull,
  NoDescriptors
};

inline rocksdb::IOStatus disk_full() {
  // As RocksDB's own file system reports ENOSPC.
  rocksdb::IOStatus status = rocksdb::IOStatus::NoSpace("No space left on device");
  status.SetRetryable(true);
  return status;
}

// Thread safety: all methods.
class FaultState {
 public:
  Mutex syncs;  // holding it keeps syncs of logs from ending

  void set(Fault fault) { fault_ = fault; }
  Fault get() const { return fault_; }
  bool is_full_for(std::string_view name) const {
    return fault_ == Fault::DiskFull ||
           (fault_ == Fault::FullForCopy && name.find("/copy") != std::string_view::npos);
  }

  rocksdb::IOStatus sync_status() const {
    if (fault_ == Fault::SyncFails) return rocksdb::IOStatus::IOError("Input/output error");
    if (fault_ == Fault::SyncFindsDiskFull) return disk_full();
    return rocksdb::IOStatus::OK();
  }

  // As RocksDB's own file system reports EMFILE.
  rocksdb::IOStatus open_status(const std::string& name) const {
    if (fault_ == Fault::NoDescriptors)
      return rocksdb::IOStatus::IOError("While open " + name, "Too many open files");
    return rocksdb::IOStatus::OK();
  }

  void append(const std::string& name, const rocksdb::Slice& bytes) {
    if (!name.ends_with(".log")) return;
    const MutexLock lock(mutex_);
    logs_[name].bytes.append(bytes.data(), bytes.size());
  }
  std::size_t written(const std::string& name) {
    const MutexLock lock(mutex_);
    return logs_[name].bytes.size();
  }
  void mark_synced(const std::string& name, std::size_t bytes) {
    const MutexLock lock(mutex_);
    logs_[name].synced = std::max(logs_[name].synced, bytes);
  }
  void mark_names_synced() {
    const MutexLock lock(mutex_);
    for (auto& [name, log] : logs_) log.is_name_synced = true;
  }
  void forget(const std::string& name) {
    const MutexLock lock(mutex_);
    logs_.erase(name);
  }
  // Returns whether the text, which was written to a log, is in its synced part and the log can be found; or the log
  // was deleted because its writes are in data files.
  bool is_durable(std::string_view text) const {
    const MutexLock lock(mutex_);
    return std::ranges::all_of(logs_, [&](const auto& log) {
      const std::size_t at = log.second.bytes.find(text);
      return at == std::string::npos || (log.second.is_name_synced && at + text.size() <= log.second.synced);
    });
  }

 private:
  std::atomic<Fault> fault_ = Fault::None;
  mutable Mutex mutex_;
  struct Log {
    std::string bytes;
    std::size_t synced = 0;
    bool is_name_synced = false;
  };
  std::map<std::string, Log> logs_ TAVOLA_GUARDED_BY(mutex_);
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, FaultState& state)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), state_(state) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (state_.get() == Fault::WriteFails) return rocksdb::IOStatus::IOError("Input/output error");
    const bool is_full = state_.is_full_for(name_);
    // The last blocks of the disk hold a part of it.
    const rocksdb::Slice taken(data.data(), is_full ? data.size() / 2 : data.size());
    rocksdb::IOStatus status = target()->Append(taken, options, debug);
    state_.append(name_, taken);
    if (!is_full) return status;
    status.PermitUncheckedError();
    return disk_full();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus fault = state_.sync_status(); !fault.ok()) return fault;
    const std::size_t written = state_.written(name_);
    rocksdb::IOStatus status = target()->Sync(options, debug);
    if (status.ok()) state_.mark_synced(name_, written);
    return status;
  }

 private:
  const std::string name_;
  FaultState& state_;
};

// A second handle on a file, to sync it.
class FaultySecondHandle final : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  FaultySecondHandle(std::unique_ptr<rocksdb::FSRandomRWFile> file, std::string name, FaultState& state)
      : FSRandomRWFileOwnerWrapper(std::move(file)), name_(std::move(name)), state_(state) {}

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    {
      const MutexLock wait(state_.syncs);
    }
    if (rocksdb::IOStatus fault = state_.sync_status(); !fault.ok()) return fault;
    const std::size_t written = state_.written(name_);
    rocksdb::IOStatus status = FSRandomRWFileOwnerWrapper::Sync(options, debug);
    if (status.ok()) state_.mark_synced(name_, written);
    return status;
  }

 private:
  const std::string name_;
  FaultState& state_;
};

class FaultyDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, FaultState& state)
      : FSDirectoryWrapper(std::move(directory)), state_(state) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return noted(FSDirectoryWrapper::Fsync(options, debug));
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions& why) override {
    return noted(FSDirectoryWrapper::FsyncWithDirOptions(options, debug, why));
  }

 private:
  rocksdb::IOStatus noted(rocksdb::IOStatus status) {
    if (status.ok()) state_.mark_names_synced();
    return status;
  }

  FaultState& state_;
};

class FaultyDisk final : public rocksdb::FileSystemWrapper {
 public:
  FaultyDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyDisk"; }

  Mutex data_files;  // holding it keeps RocksDB from starting a data file, so that its logs stay

  void set(Fault fault) { state_.set(fault); }
  FaultState& state() { return state_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    if (name.ends_with(".sst")) const MutexLock wait(data_files);
    if (rocksdb::IOStatus fault = state_.open_status(name); !fault.ok()) return fault;
    std::unique_ptr<rocksdb::FSWritableFile> file;
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, &file, debug);
    if (!status.ok()) return status;
    state_.append(name, "");
    *result = std::make_unique<FaultyFile>(std::move(file), name, state_);
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus fault = state_.open_status(name); !fault.ok()) return fault;
    return target()->NewRandomAccessFile(name, options, result, debug);
  }
  rocksdb::IOStatus NewRandomRWFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus fault = state_.open_status(name); !fault.ok()) return fault;
    std::unique_ptr<rocksdb::FSRandomRWFile> file;
    rocksdb::IOStatus status = target()->NewRandomRWFile(name, options, &file, debug);
    if (status.ok()) *result = std::make_unique<FaultySecondHandle>(std::move(file), name, state_);
    return status;
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus fault = state_.open_status(name); !fault.ok()) return fault;
    std::unique_ptr<rocksdb::FSDirectory> directory;
    rocksdb::IOStatus status = target()->NewDirectory(name, options, &directory, debug);
    if (status.ok()) *result = std::make_unique<FaultyDirectory>(std::move(directory), state_);
    return status;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    state_.forget(name);
    return target()->DeleteFile(name, options, debug);
  }
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, std::uint64_t* free,
                                 rocksdb::IODebugContext*) override {
    *free = state_.get() == Fault::DiskFull ? 0 : std::uint64_t{1} << 40;
    return rocksdb::IOStatus::OK();
  }

 private:
  FaultState state_;
};

// A test in which RocksDB writes its files through the faulty disk.
class FaultyDiskTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP()
        << "RocksDB, which is not compiled for ThreadSanitizer, passes our files from thread to thread";
#endif
  }
};

}  // namespace tavola::store
