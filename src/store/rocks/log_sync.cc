#include "store/rocks/log_sync.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>
#include <rocksdb/snapshot.h>

#include "base/assert.h"
#include "base/files.h"
#include "store/data_files.h"
#include "store/rocks/rocks_options.h"

namespace tavola::store {

namespace fs = std::filesystem;

HeldState hold_state(rocksdb::DB& db) {
  return {db.GetSnapshot(), [&db](const rocksdb::Snapshot* state) { db.ReleaseSnapshot(state); }};
}

LogSync::LogSync(rocksdb::DB& db, rocksdb::FileSystem& files, LogPlace& place, fs::path directory)
    : db_(db),
      files_(files),
      place_(place),
      directory_(std::move(directory)),
      synced_(db.GetLatestSequenceNumber()) {}

LogSync::~LogSync() = default;

LogSync::Position LogSync::written() const { return db_.GetLatestSequenceNumber(); }

Result<void> LogSync::status() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  return fail(error_);
}

void LogSync::hold_durable_state() {
  const MutexLock sync_lock(mutex_);
  TAVOLA_ASSERT(synced() == written());  // the store was just opened
  const MutexLock lock(durable_mutex_);
  durable_state_ = hold_state(db_);
}

HeldState LogSync::durable_state() const {
  const MutexLock lock(durable_mutex_);
  return durable_state_;
}

Result<void> LogSync::last_sync() const {
  constexpr std::chrono::seconds kSyncTimeMax{5};
  const MutexLock lock(last_mutex_);
  if (last_error_) return fail(*last_error_);
  const bool is_stuck = running_since_ && std::chrono::steady_clock::now() - *running_since_ > kSyncTimeMax;
  if (is_stuck) return fail(disk_is_silent(directory_));
  return {};
}

Result<void> LogSync::sync() {
  HeldState state;  // finally the previous one, which is released without a lock
  const MutexLock lock(mutex_);
  TAVOLA_CHECK(status());
  // Taken before the sync, which does not cover later writes.
  if (durable_state()) state = hold_state(db_);
  const Position position = state ? state->GetSequenceNumber() : written();
  TAVOLA_CHECK(sync_logs_timed());
  {
    const MutexLock durable_lock(durable_mutex_);
    durable_state_.swap(state);
  }
  // Stored last: a write at a durable position must be in the durable state.
  synced_.store(position, std::memory_order_release);
  return {};
}

Result<void> LogSync::sync_logs_timed() {
  {
    const MutexLock lock(last_mutex_);
    running_since_ = std::chrono::steady_clock::now();
  }
  const Result<void> synced = sync_logs();
  const MutexLock lock(last_mutex_);
  running_since_.reset();
  last_error_ = synced ? std::nullopt : std::optional(synced.error());
  return synced;
}

// A log that was moved away could still be synced through the open file. It is not, because the next start of the
// server might not find it: those who wait get an error, and may find their write later nevertheless.
Result<void> LogSync::sync_logs() {
  while (true) {
    TAVOLA_TRY(const std::string current, place_.find());
    // Synced after that check: a log that is no longer current gets no more writes, and is not synced again.
    if (file_) TAVOLA_CHECK(result_of_sync(file_->Sync(rocksdb::IOOptions(), nullptr)));
    if (current == name_) return {};
    TAVOLA_CHECK(follow_to(current));
  }
}

// Syncs the logs after the one synced last, and makes `current` the log to sync from now on. A deleted log is skipped:
// its writes are in data files. If `current` is deleted, too, there is a newer one to follow.
Result<void> LogSync::follow_to(const std::string& current) {
  TAVOLA_TRY(const std::vector<std::string> logs, log_files(directory_));
  std::unique_ptr<rocksdb::FSRandomRWFile> current_file;
  const auto last = std::ranges::find(logs, name_);  // if missing, all are new
  for (auto log = last == logs.end() ? logs.begin() : last + 1; log != logs.end(); ++log) {
    std::unique_ptr<rocksdb::FSRandomRWFile> file;
    const rocksdb::IOStatus opened =
        files_.NewRandomRWFile((directory_ / *log).string(), rocksdb::FileOptions(), &file, nullptr);
    if (opened.IsPathNotFound()) continue;
    if (!opened.ok()) return fail(rocks_error(opened, directory_));
    TAVOLA_CHECK(result_of_sync(file->Sync(rocksdb::IOOptions(), nullptr)));
    if (*log == current) current_file = std::move(file);
  }
  TAVOLA_CHECK(sync_names());
  if (!current_file) return {};
  name_ = current;
  file_ = std::move(current_file);
  return {};
}

// A file without a durable name is not on disk.
Result<void> LogSync::sync_names() {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const rocksdb::IOStatus opened =
      files_.NewDirectory(directory_.string(), rocksdb::IOOptions(), &directory, nullptr);
  if (!opened.ok()) return fail(rocks_error(opened, directory_));
  const rocksdb::DirFsyncOptions why(rocksdb::DirFsyncOptions::kNewFileSynced);
  return result_of_sync(directory->FsyncWithDirOptions(rocksdb::IOOptions(), nullptr, why));
}

Result<void> LogSync::result_of_sync(const rocksdb::IOStatus& status) {
  if (status.ok()) return {};
  error_ = rocks_sync_error(status, directory_);
  failed_.store(true, std::memory_order_release);
  return fail(error_);
}

}  // namespace tavola::store
