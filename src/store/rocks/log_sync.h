// LogSync: syncs RocksDB's write-ahead log, for writes that did not wait for it.
//
// DB::SyncWAL is not used: after a failed write (a full disk) it stops the process (7.8 with its assertions on, as
// Debian builds it), and a write may fail at any time. A second handle on the log's file syncs the same bytes.
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

// A state of the database, which RocksDB keeps while this exists.
using HeldState = std::shared_ptr<const rocksdb::Snapshot>;
HeldState hold_state(rocksdb::DB& db);  // the current one

// Thread safety: all methods. Invariants: (1) Everything with a sequence number up to synced() is on disk. (2)
// durable_state() contains nothing else, and a successful sync() has replaced it by one that contains everything
// written before. (3) It contains everything up to what synced() returned before.
class LogSync {
 public:
  using Position = std::uint64_t;

  // Everything in `db` must be on disk already. The references must outlive this.
  LogSync(rocksdb::DB& db, rocksdb::FileSystem& files, LogPlace& place, std::filesystem::path directory);
  ~LogSync();
  LogSync(const LogSync&) = delete;
  LogSync& operator=(const LogSync&) = delete;

  // Returns a position: everything up to it is in the log, and no reader sees a write above it, because RocksDB
  // publishes a sequence number only once its write is in the log.
  Position written() const;
  Position synced() const { return synced_.load(std::memory_order_acquire); }

  // Starts holding durable_state(). RocksDB keeps older versions for it, so it is for stores that are synced often.
  void hold_durable_state();
  // Returns the state at the last sync; null if it is not held.
  HeldState durable_state() const;

  // Syncs everything written. A failure of the operating system is final, because it is reported only once and the
  // unwritten pages are forgotten: every later call fails with the same error. If a file could not be opened (too many
  // are open) or found (it was moved), a later call may succeed.
  Result<void> sync();
  // Returns the final error, if any.
  Result<void> status() const;
  // Fails with the error of the last finished sync(), or if one has been running for seconds. Does not wait for it.
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
