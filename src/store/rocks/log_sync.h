// LogSync: brings RocksDB's write-ahead log to the disk, for writes that did not wait for it.
//
// Not by DB::SyncWAL: after a write that failed (a full disk) that one stops the process (7.8 with its assertions on,
// as Debian builds it), and a write may fail at any moment. A second handle on the log's file syncs the same bytes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <tavola/error.h>

#include "base/locks.h"
#include "store/rocks/log_place.h"

namespace rocksdb {
class DB;
class FileSystem;
class Snapshot;
class FSRandomRWFile;
class IOStatus;
}  // namespace rocksdb

namespace tavola::store {

// A state of the database, kept by RocksDB as long as somebody holds this.
using HeldState = std::shared_ptr<const rocksdb::Snapshot>;
HeldState hold_state(rocksdb::DB& db);  // as it is now

// Thread safety: all methods. Invariants: (1) what has a sequence number up to synced() is on the disk. (2) durable_state()
// has nothing that is not, and a sync() that succeeded has replaced it by one that has all that was written before. (3) It has
// all up to what synced() returned before.
class LogSync {
 public:
  using Position = std::uint64_t;

  // All that `db` has now is on the disk. The references must outlive this.
  LogSync(rocksdb::DB& db, rocksdb::FileSystem& files, LogPlace& place, std::filesystem::path directory);
  ~LogSync();
  LogSync(const LogSync&) = delete;
  LogSync& operator=(const LogSync&) = delete;

  // All up to it is in the log, and no reader sees a write above it: RocksDB publishes a sequence number when its write
  // is in the log, not before.
  Position written() const;
  Position synced() const { return synced_.load(std::memory_order_acquire); }

  // From now on durable_state() is held. RocksDB keeps older versions for it, so it is for stores that are synced often.
  void hold_durable_state();
  // The state that the last sync brought to the disk; null when it is not held.
  HeldState durable_state() const;

  // Brings all that is written to the disk. When the operating system fails to, that is final, because it tells so only
  // once and forgets what it could not write: from then on every call fails with the same error. When a file could not
  // be opened (there are too many) or found (it was moved), a later call may succeed.
  Result<void> sync();
  // The final error, if there was one.
  Result<void> status() const;
  // Fails with the error of the last sync() that ended, or when one has not ended for seconds. Does not wait for it.
  Result<void> last_sync() const;

 private:
  Result<void> sync_logs_timed() TAVOLA_REQUIRES(mutex_);
  Result<void> sync_logs() TAVOLA_REQUIRES(mutex_);
  Result<void> follow_to(const std::string& current) TAVOLA_REQUIRES(mutex_);
  Result<void> sync_names() TAVOLA_REQUIRES(mutex_);
  Result<void> result_of_sync(const rocksdb::IOStatus& status) TAVOLA_REQUIRES(mutex_);

  rocksdb::DB& db_;
  rocksdb::FileSystem& files_;
  LogPlace& place_;
  const std::filesystem::path directory_;
  std::atomic<Position> synced_;
  std::atomic<bool> failed_ = false;
  Error error_{ErrorCode::Io, ""};  // changed once, before failed_
  mutable Mutex last_mutex_;        // never held during a sync
  std::optional<Error> last_error_ TAVOLA_GUARDED_BY(last_mutex_);
  std::optional<std::chrono::steady_clock::time_point> running_since_ TAVOLA_GUARDED_BY(last_mutex_);
  mutable Mutex durable_mutex_;  // never held during a sync
  HeldState durable_state_ TAVOLA_GUARDED_BY(durable_mutex_);
  Mutex mutex_;
  std::string name_ TAVOLA_GUARDED_BY(mutex_);  // of the log that was synced last, e.g. "000004.log"
  std::unique_ptr<rocksdb::FSRandomRWFile> file_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::store
