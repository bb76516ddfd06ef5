// Files as the store's directory needs them: small ones replaced whole, names, and everything synced.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// In messages: the path in quotes.
std::string quoted(const std::filesystem::path& path);

// An error of the operating system (errno), e.g. "cannot create '/data': Permission denied".
Error system_error(std::string_view attempt, const std::filesystem::path& path, int number);

// Corrupt: "the file '/data/CURRENT' is damaged; restore the directory from a backup (no newline)", and its sister.
Error file_is_damaged(const std::filesystem::path& path, std::string_view reason);
Error file_is_missing(const std::filesystem::path& path);

// An open file descriptor; closed at the end.
class File {
 public:
  File(const std::filesystem::path& path, int flags, unsigned mode = 0666);  // the mode of what it creates
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  bool is_open() const { return descriptor_ >= 0; }  // errno says why it is not
  int get() const { return descriptor_; }
  int give_away() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

Result<void> write_all(const File& file, const std::filesystem::path& path, std::string_view text);

// The first 256 bytes of a file.
Result<std::string> read_small_file(const std::filesystem::path& path);
// All of a file.
Result<std::string> read_file(const std::filesystem::path& path);
// Replaces a file as a whole: after a crash it has the old or the new text. At no moment has it another mode.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text, unsigned mode = 0666);

// A rename or a new file is durable only when its directory is synced too.
Result<void> sync_directory(const std::filesystem::path& path);
Result<void> rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);
// Of a path without a slash at the end; "." when it names no other.
std::filesystem::path parent_of(const std::filesystem::path& path);

Result<std::vector<std::string>> list_directory(const std::filesystem::path& path);
// RocksDB's write-ahead logs in a directory ("000004.log"), from the oldest to the one begun last.
Result<std::vector<std::string>> log_files(const std::filesystem::path& directory);

}  // namespace tavola::store
