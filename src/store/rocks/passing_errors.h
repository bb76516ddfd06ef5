// A lack of file descriptors is an error that passes.
//
// When RocksDB cannot open a file that it needs for writing, it refuses all writes until the database is opened again, unless
// the file system says that the error may pass ("retryable"). Then RocksDB tries again every second and goes on by itself. Its
// own file system says so of no failed open.
#pragma once

#include <memory>

namespace rocksdb {
class FileSystem;
class Status;
}  // namespace rocksdb

namespace tavola::store {

// Returns the file system with the one change that a failed open for lack of descriptors is reported as passing.
std::shared_ptr<rocksdb::FileSystem> with_passing_errors(const std::shared_ptr<rocksdb::FileSystem>& files);

// Whether a file could not be opened because the process or the system has too many open.
bool is_out_of_descriptors(const rocksdb::Status& status);

}  // namespace tavola::store
