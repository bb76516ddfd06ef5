// RocksDB's own messages, from warnings on, in the file LOG of the directory; LOG.old has the previous ones.
//
// It replaces RocksDB's logger, which stops the process if it logs to a full disk (7.8 with its assertions on, as
// Debian builds it), and writes 18 KB of options at every opening.
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
