// The errors that name a damaged or missing file of a store, and how its logs are found.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// Corrupt: "the file '/data/CURRENT' is damaged; restore the directory from a backup (no newline)", and then what else can
// be done: `otherwise`, e.g. "; or …". The fate is "damaged" or "missing".
struct FileFate {
  std::string_view fate;
  std::string_view reason;  // may be empty
  std::string_view otherwise;
};
Error file_is(const std::filesystem::path& path, const FileFate& fate);

// Corrupt: "the file '/data/CURRENT' is damaged; restore the directory from a backup (no newline)", and its sister.
Error file_is_damaged(const std::filesystem::path& path, std::string_view reason);
Error file_is_missing(const std::filesystem::path& path);
// For a log: adds that its writes can be given up.
Error log_is_damaged(const std::filesystem::path& path, std::string_view reason);
Error log_is_missing(const std::filesystem::path& path, std::string_view reason);

// RocksDB's write-ahead logs in a directory ("000004.log"), from the oldest to the one begun last.
Result<std::vector<std::string>> log_files(const std::filesystem::path& directory);

}  // namespace tavola::store
