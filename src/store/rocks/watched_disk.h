// WatchedDisk: the file system under RocksDB. It makes each file readable by its owner only, and records in SYNCED
// (synced_facts.h) how much of manifests and logs is written and synced.
#pragma once

#include <filesystem>
#include <memory>

namespace rocksdb {
class FileSystem;
}

namespace tavola::store {

class SyncedFiles;

// Returns a file system on `base` for the store in `directory`. `synced` must outlive it.
std::shared_ptr<rocksdb::FileSystem> watch_disk(const std::shared_ptr<rocksdb::FileSystem>& base,
                                                const std::filesystem::path& directory, SyncedFiles& synced);

}  // namespace tavola::store
