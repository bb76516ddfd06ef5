// The files of an import, put into a table.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include <tavola/database.h>

#include "transfer/walk/patience.h"

namespace tavola::transfer {

struct ImportedFiles {
  std::size_t files = 0;
  std::uint64_t imported = 0;
  std::uint64_t wrong = 0;
  std::uint64_t bytes = 0;    // after decompression
  std::string first_wrong{};  // "data/1.json:3: …"
};

struct ImportJob {
  Database& database;
  TableDescription table{};
  ImportTableRequest request{};
  std::filesystem::path bucket{};
  const std::atomic<bool>& is_stopping;
  Pause pause = sleep();
};
// Counts wrong files and items. Fails as the database does, or with Io if the server stops.
Result<ImportedFiles> read_import(const ImportJob& job);

}  // namespace tavola::transfer
