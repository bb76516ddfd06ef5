// LogPlace: checks that RocksDB's log is still where it was written, and that the directory can be opened again.
//
// The files of an open store can be deleted, moved or made unreadable by others. RocksDB does not notice until it opens
// a file by its name, possibly hours later; until then it writes to files that can never be opened again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <tavola/error.h>

#include "base/locks.h"

namespace rocksdb {
class DB;
}

namespace tavola::store {

// Thread safety: all methods.
class LogPlace {
 public:
  // `db` must outlive this.
  LogPlace(rocksdb::DB& db, std::filesystem::path directory);
  LogPlace(const LogPlace&) = delete;
  LogPlace& operator=(const LogPlace&) = delete;

  // Returns the name of the log that the database writes to, e.g. "000004.log". Fails with Io if that file, CURRENT or
  // the manifest is no longer in the directory, or if the log or the directory was replaced. Succeeds again once they
  // are restored.
  Result<std::string> find();

  // A find() for the write path: checks the disk only every tenth of a second, and always after a failure.
  Result<void> check();

 private:
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static Result<Identity> identity_of(const std::filesystem::path& path);
  Result<std::string> look() TAVOLA_REQUIRES(mutex_);
  Result<void> compare(const std::string& name) TAVOLA_REQUIRES(mutex_);
  Result<void> find_manifest() TAVOLA_REQUIRES(mutex_);

  rocksdb::DB& db_;
  const std::filesystem::path directory_;
  Identity directory_identity_;
  std::atomic<bool> is_lost_ = false;
  std::atomic<std::chrono::steady_clock::time_point> looked_at_;
  Mutex mutex_;
  std::string name_ TAVOLA_GUARDED_BY(mutex_);  // of the log found last
  Identity log_identity_ TAVOLA_GUARDED_BY(mutex_);
  std::string manifest_ TAVOLA_GUARDED_BY(mutex_);  // named by CURRENT when it was last read
  Identity current_identity_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::store
