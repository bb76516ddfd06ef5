#include "store/rocks/log_place.h"

#include <cerrno>
#include <memory>
#include <sys/stat.h>

#include <rocksdb/db.h>
#include <rocksdb/transaction_log.h>

#include "base/files.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/synced_facts.h"

namespace tavola::store {

namespace fs = std::filesystem;

LogPlace::LogPlace(rocksdb::DB& db, fs::path directory)
    : db_(db),
      directory_(std::move(directory)),
      directory_identity_(identity_of(directory_).value_or(Identity())),
      looked_at_(std::chrono::steady_clock::now()) {}

Result<LogPlace::Identity> LogPlace::identity_of(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(system_error("find", path, errno));
  return Identity{.device = status.st_dev, .inode = status.st_ino};
}

Result<std::string> LogPlace::find() {
  const MutexLock lock(mutex_);
  Result<std::string> found = look();
  is_lost_.store(!found, std::memory_order_relaxed);
  looked_at_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
  return found;
}

Result<void> LogPlace::check() {
  constexpr std::chrono::milliseconds kLookEvery{100};
  if (!is_lost_.load(std::memory_order_relaxed)) {
    const auto now = std::chrono::steady_clock::now();
    auto last = looked_at_.load(std::memory_order_relaxed);
    // Only one of the threads that find the interval elapsed checks; the others continue.
    if (now - last < kLookEvery || !looked_at_.compare_exchange_strong(last, now)) return {};
  }
  TAVOLA_CHECK(find());
  return {};
}

Result<std::string> LogPlace::look() {
  std::string missing;
  while (true) {
    std::unique_ptr<rocksdb::LogFile> log;
    const rocksdb::Status status = db_.GetCurrentWalFile(&log);
    std::string reason = status.ToString();
    if (status.ok()) {
      std::string name = fs::path(log->PathName()).filename().string();
      Result<void> same = compare(name);
      if (same) same = find_manifest();
      if (same) return name;
      reason = same.error().message();
    } else if (!status.IsPathNotFound()) {
      return fail(log_is_lost(directory_, reason));
    }
    // RocksDB may have flushed and deleted the log since it returned the name. Then it returns another name now.
    if (reason == missing) return fail(log_is_lost(directory_, reason));
    missing = std::move(reason);
  }
}

// Fails if the directory could not be opened again: RocksDB reads CURRENT and the manifest only then. CURRENT is read
// if it is another file than before, or names a missing manifest; all else needs no file descriptor.
Result<void> LogPlace::find_manifest() {
  TAVOLA_TRY(const Identity current, identity_of(directory_ / "CURRENT"));
  if (current == current_identity_ && identity_of(directory_ / manifest_)) return {};
  std::string manifest = current_manifest(directory_);
  if (manifest.empty()) return {};  // no descriptor is free to read it, but it exists
  TAVOLA_CHECK(identity_of(directory_ / manifest));
  manifest_ = std::move(manifest);
  current_identity_ = current;
  return {};
}

// Fails if the directory or the log is another file of the same name, such as a copy.
Result<void> LogPlace::compare(const std::string& name) {
  TAVOLA_TRY(const Identity directory, identity_of(directory_));
  TAVOLA_TRY(const Identity log, identity_of(directory_ / name));
  const bool is_known = name == name_;
  if (directory != directory_identity_ || (is_known && log != log_identity_)) {
    const fs::path& replaced = directory == directory_identity_ ? directory_ / name : directory_;
    return fail(Error(ErrorCode::Io, quoted(replaced) + " was replaced by another"));
  }
  if (is_known) return {};
  name_ = name;
  log_identity_ = log;
  return {};
}

}  // namespace tavola::store
