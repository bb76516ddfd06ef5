// What the RocksDB store is made of, for its own files and its tests. Not for other rooms.
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

// RocksDB's options as Tavola wants them; the reasons are beside each in rocks_options.cc. `env` must outlive
// the database.
rocksdb::Options rocks_options(const RocksOptions& options, rocksdb::Env* env);

// A failed status as an Error: DiskFull, Corrupt (naming the file), Io or Internal.
Error rocks_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// The same for a write that failed.
Error rocks_write_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// The same for a sync that failed, of writes that were done: nobody knows which of them are on the disk.
Error rocks_sync_error(const rocksdb::Status& status, const std::filesystem::path& directory);
// A log that RocksDB goes on with although it takes nothing any more.
Error log_is_stuck(const std::filesystem::path& directory);
// A sync that does not end.
Error disk_is_silent(const std::filesystem::path& directory);
// A log that is not where it was written: deleted, moved, replaced or unreadable while the store is open.
Error log_is_lost(const std::filesystem::path& directory, std::string_view reason);
// The same for a database that did not open, where a file that is not there is damage as well.
Error rocks_open_error(const rocksdb::Status& status, const std::filesystem::path& directory);

// open_rocks() on another file system, for tests that need a full or a failing disk.
Result<std::unique_ptr<Store>> open_rocks_on(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::filesystem::path& directory,
                                             const RocksOptions& options);

}  // namespace tavola::store
