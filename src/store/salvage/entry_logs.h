// Writes entries with their original sequence numbers, which RocksDB's own interface cannot: into write-ahead logs
// (torn_log.h), one entry per record. RocksDB's repair turns them into data files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <tavola/error.h>

#include "store/salvage/data_file.h"

namespace tavola::store {

// Thread safety: none.
class EntryLogs {
 public:
  // The logs get this number and the following ones.
  EntryLogs(std::filesystem::path directory, std::uint64_t first_number)
      : directory_(std::move(directory)), next_number_(first_number) {}

  Result<void> add(FileEntry entry);
  // Writes the added entries. Entries of different data files must not be in one log: a write may be in two of them.
  Result<void> flush();

 private:
  const std::filesystem::path directory_;
  std::uint64_t next_number_;
  std::vector<FileEntry> entries_{};
  std::size_t bytes_ = 0;
};

}  // namespace tavola::store
