// The parts of the RocksDB store, for its own files and its tests. Not for other rooms.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace rocksdb {
class Env;
class FileSystem;
class Status;
struct Options;
}  // namespace rocksdb

namespace tavola::store {

// Returns Tavola's options for RocksDB; rocks_options.cc gives the reason of each. `env` must outlive the database.
rocksdb::Options rocks_options(const RocksOptions& options, rocksdb::Env* env);

// Converts a failed status to an Error: DiskFull, Corrupt (naming the file), Io or Internal.
Error rocks_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// For a failed write.
Error rocks_write_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// For a failed sync of finished writes: it is unknown which of them are on disk.
Error rocks_sync_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// For a log that RocksDB continues although it accepts nothing any more.
Error log_is_stuck(const std::filesystem::path& directory);
// For a sync that does not end.
Error disk_is_silent(const std::filesystem::path& directory);
// For a log that is not where it was written: deleted, moved, replaced or unreadable while the store is open.
Error log_is_lost(const std::filesystem::path& directory, std::string_view reason);
// For a database that did not open, where a missing file is damage, too.
Error rocks_open_error(const rocksdb::Status& status, const std::filesystem::path& directory);

// open_rocks() on another file system, for tests that need a full or a failing disk.
Result<std::unique_ptr<Store>> open_rocks_on(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::filesystem::path& directory,
                                             const RocksOptions& options);

}  // namespace tavola::store
