#include "store/log_sync.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>
#include <rocksdb/transaction_log.h>

#include "store/files.h"
#include "store/rocks_options.h"

namespace tavola::store {

namespace fs = std::filesystem;

Result<std::string> current_log(rocksdb::DB& db, const fs::path& directory) {
  while (true) {
    std::unique_ptr<rocksdb::LogFile> log;
    const rocksdb::Status status = db.GetCurrentWalFile(&log);
    if (status.ok()) return fs::path(log->PathName()).filename().string();
    // RocksDB looks at the file, which may have been written out and deleted since it was the current one.
    if (!status.IsPathNotFound()) return fail(rocks_error(status, directory));
  }
}

LogSync::LogSync(rocksdb::DB& db, rocksdb::FileSystem& files, fs::path directory)
    : db_(db), files_(files), directory_(std::move(directory)), synced_(db.GetLatestSequenceNumber()) {}

LogSync::~LogSync() = default;

LogSync::Position LogSync::written() const { return db_.GetLatestSequenceNumber(); }

Result<void> LogSync::status() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  return fail(error_);
}

Result<void> LogSync::sync() {
  const MutexLock lock(mutex_);
  TAVOLA_CHECK(status());
  const Position position = written();  // before the sync, which promises nothing of what comes meanwhile
  TAVOLA_CHECK(sync_logs());
  synced_.store(position, std::memory_order_release);
  return {};
}

Result<void> LogSync::sync_logs() {
  while (true) {
    TAVOLA_TRY(const std::string current, current_log(db_, directory_));
    // Only now: a log that is no longer the current one gets no further writes, and is not synced again.
    if (file_) TAVOLA_CHECK(result_of_sync(file_->Sync(rocksdb::IOOptions(), nullptr)));
    if (current == name_) return {};
    TAVOLA_CHECK(follow_to(current));
  }
}

// Syncs the logs behind the one that was synced last, and takes `current` for the one to sync from now on. A log that is
// gone is not missed: its writes are in data files. When `current` is gone too, there is a newer one to follow to.
Result<void> LogSync::follow_to(const std::string& current) {
  TAVOLA_TRY(const std::vector<std::string> logs, log_files(directory_));
  std::unique_ptr<rocksdb::FSRandomRWFile> current_file;
  const auto last = std::ranges::find(logs, name_);  // not there: all are new
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

// A file that nobody can find is not on the disk.
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
