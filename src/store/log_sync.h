// LogSync: brings RocksDB's write-ahead log to the disk, for writes that did not wait for it.
//
// Not by DB::SyncWAL: after a write that failed (a full disk) that one stops the process (7.8 with its assertions on,
// as Debian builds it), and a write may fail at any moment. A second handle on the log's file syncs the same bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <tavola/error.h>

#include "base/locks.h"

namespace rocksdb {
class DB;
class FileSystem;
class FSRandomRWFile;
class IOStatus;
}  // namespace rocksdb

namespace tavola::store {

// Thread safety: all methods. Invariant: what has a sequence number up to synced() is on the disk.
class LogSync {
 public:
  using Position = std::uint64_t;

  // All that `db` has now is on the disk. `db` and `files` must outlive this.
  LogSync(rocksdb::DB& db, rocksdb::FileSystem& files, std::filesystem::path directory);
  ~LogSync();
  LogSync(const LogSync&) = delete;
  LogSync& operator=(const LogSync&) = delete;

  // All up to it is in the log, and no reader sees a write above it: RocksDB publishes a sequence number when its write
  // is in the log, not before.
  Position written() const;
  Position synced() const { return synced_.load(std::memory_order_acquire); }

  // Brings all that is written to the disk. When the operating system fails to, that is final, because it tells so only
  // once and forgets what it could not write: from then on every call fails with the same error. When a file could not
  // be opened (there are too many), nothing is lost, and a later call may succeed.
  Result<void> sync();
  // The final error, if there was one.
  Result<void> status() const;

 private:
  Result<void> sync_logs() TAVOLA_REQUIRES(mutex_);
  Result<void> follow_to(const std::string& current) TAVOLA_REQUIRES(mutex_);
  Result<void> sync_names() TAVOLA_REQUIRES(mutex_);
  Result<void> result_of_sync(const rocksdb::IOStatus& status) TAVOLA_REQUIRES(mutex_);

  rocksdb::DB& db_;
  rocksdb::FileSystem& files_;
  const std::filesystem::path directory_;
  std::atomic<Position> synced_;
  std::atomic<bool> failed_ = false;
  Error error_{ErrorCode::Io, ""};  // changed once, before failed_
  Mutex mutex_;
  std::string name_ TAVOLA_GUARDED_BY(mutex_);  // of the log that was synced last, e.g. "000004.log"
  std::unique_ptr<rocksdb::FSRandomRWFile> file_ TAVOLA_GUARDED_BY(mutex_);
};

// The name of the log that the database writes to, e.g. "000004.log".
Result<std::string> current_log(rocksdb::DB& db, const std::filesystem::path& directory);

}  // namespace tavola::store
