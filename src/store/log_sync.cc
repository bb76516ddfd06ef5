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
  Result<void> done = sync_logs();
  if (done) {
    synced_.store(position, std::memory_order_release);
  } else {
    error_ = done.error();
    failed_.store(true, std::memory_order_release);
  }
  return done;
}

Result<void> LogSync::sync_logs() {
  while (true) {
    TAVOLA_TRY(const std::string current, current_log(db_, directory_));
    // Only now: a log that is no longer the current one gets no further writes, and is not synced again.
    if (file_) TAVOLA_CHECK(sync_file(*file_));
    if (current == name_) return {};
    TAVOLA_CHECK(follow_to(current));
  }
}

// Syncs the logs behind the one that was synced last, and takes `current` for the one to sync from now on. A log that is
// gone is not missed: its writes are in data files. When `current` is gone too, there is a newer one to follow to.
Result<void> LogSync::follow_to(const std::string& current) {
  TAVOLA_TRY(const std::vector<std::string> logs, log_files(directory_));
  const auto last = std::ranges::find(logs, name_);  // not there: all are new
  for (auto log = last == logs.end() ? logs.begin() : last + 1; log != logs.end(); ++log) {
    std::unique_ptr<rocksdb::FSRandomRWFile> file;
    const rocksdb::IOStatus opened =
        files_.NewRandomRWFile((directory_ / *log).string(), rocksdb::FileOptions(), &file, nullptr);
    if (opened.IsPathNotFound()) continue;
    if (!opened.ok()) return fail(rocks_sync_error(opened, directory_));
    TAVOLA_CHECK(sync_file(*file));
    if (*log != current) continue;
    name_ = current;
    file_ = std::move(file);
  }
  return sync_directory(directory_);  // a file that nobody can find is not on the disk
}

Result<void> LogSync::sync_file(rocksdb::FSRandomRWFile& file) const {
  const rocksdb::IOStatus status = file.Sync(rocksdb::IOOptions(), nullptr);
  if (!status.ok()) return fail(rocks_sync_error(status, directory_));
  return {};
}

}  // namespace tavola::store
