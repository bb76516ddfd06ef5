// Writes a table into a file. During the dump it is called FILE.part, and FILE.part.json holds the progress; the
// complete file is renamed to FILE, and FILE.table.json beside it holds the definition of the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "transfer/formats/file_kind.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

std::filesystem::path definition_path(const std::filesystem::path& file);

struct DumpRequest {
  Database& database;
  std::string from{};  // the database as the user named it, for the resumption
  std::string table_name{};
  std::filesystem::path file{};  // "-": standard output, which cannot be resumed
  FileKind kind{};
  std::string delimiter{};  // of CSV; empty: a comma
  unsigned segments = 4;    // read side by side
  bool overwrites = false;  // a file that is there
  // Called from any thread, one at a time.
  std::function<void(std::uint64_t items, std::uint64_t expected)> watch{};
  Pause pause = sleep();
  std::uint64_t bytes_between_states = std::uint64_t{32} * 1024 * 1024;
};
struct Dumped {
  std::uint64_t items = 0;
  std::uint64_t items_before = 0;      // of them: by an earlier run that was cut
  std::vector<std::string> remarks{};  // what the definition lacks, and why
};
// Resumes an interrupted dump. Fails with Validation if the existing file is something else.
Result<Dumped> dump_table(const DumpRequest& request);

}  // namespace tavola::transfer
