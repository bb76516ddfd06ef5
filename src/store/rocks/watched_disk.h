// WatchedDisk: RocksDB's files as Tavola wants them. Each is readable by its owner alone, and what is written and synced
// of manifests and logs is noted in SYNCED (synced_facts.h).
#pragma once

#include <filesystem>
#include <memory>

namespace rocksdb {
class FileSystem;
}

namespace tavola::store {

class SyncedFiles;

// A file system on `base` for the store in `directory`. `synced` must outlive it.
std::shared_ptr<rocksdb::FileSystem> watch_disk(const std::shared_ptr<rocksdb::FileSystem>& base,
                                                const std::filesystem::path& directory, SyncedFiles& synced);

}  // namespace tavola::store
