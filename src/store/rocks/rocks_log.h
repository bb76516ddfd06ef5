// RocksDB's own messages, warnings and worse, in the file LOG of the directory; LOG.old has the ones before.
//
// Ours instead of RocksDB's logger because that one stops the process when it logs to a full disk (7.8 with its
// assertions on, as Debian builds it), and writes 18 KB of options at every opening.
#pragma once

#include <filesystem>
#include <memory>

namespace rocksdb {
class Logger;
}

namespace tavola::store {

// Messages that cannot be written are dropped.
std::shared_ptr<rocksdb::Logger> open_rocks_log(const std::filesystem::path& directory);

}  // namespace tavola::store
