// Treats a lack of file descriptors as a temporary error.
//
// If RocksDB cannot open a file for writing, it refuses all writes until the database is opened again, unless the file
// system marks the error as "retryable". Then RocksDB tries again every second and resumes by itself. Its own file
// system marks no failed open in this way.
#pragma once

#include <memory>

namespace rocksdb {
class FileSystem;
class Status;
}  // namespace rocksdb

namespace tavola::store {

// Returns the file system with one change: an open that fails for lack of descriptors is reported as retryable.
std::shared_ptr<rocksdb::FileSystem> with_passing_errors(const std::shared_ptr<rocksdb::FileSystem>& files);

// Returns whether a file could not be opened because the process or the system has too many open.
bool is_out_of_descriptors(const rocksdb::Status& status);

}  // namespace tavola::store
