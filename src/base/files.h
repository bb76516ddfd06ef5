// File operations for the store's directory: small files replaced atomically, names, and syncs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola {

// Returns the text with the paths of pinned directories (ClaimedDirectory::files()) replaced by the current paths of
// those directories. Every message for people goes through it.
std::string readable(std::string text);

// Returns the readable path in quotes, for messages.
std::string quoted(const std::filesystem::path& path);

// Returns a path that leads to the open directory even if it is moved or replaced. Such paths begin with:
inline constexpr std::string_view kPinnedPrefix = "/proc/self/fd/";
std::filesystem::path pinned_path(int descriptor);

// Detail of the errors below: a file and its fault, e.g. {"/data/CURRENT", "it is damaged (no newline)"}.
struct FileFault final : ErrorDetail {
  FileFault(std::filesystem::path where, std::string why) : file(std::move(where)), reason(std::move(why)) {}
  std::filesystem::path file;
  std::string reason;
};

// Returns "'/data/000004.log' is missing (…)" for an error with a FileFault, without advice; the message of other
// errors.
std::string fault_of(const Error& error);

// An error of the operating system (errno), e.g. "cannot create '/data': Permission denied".
Error system_error(std::string_view attempt, const std::filesystem::path& path, int number);

// The mode of a file that only its owner may read: what clients wrote, and what is known about it.
inline constexpr unsigned kOwnerOnly = 0600;
// The mode of files for others; the process's umask decides who may read them.
inline constexpr unsigned kByUmask = 0666;

// An open file descriptor; closed at the end.
class File {
 public:
  File(const std::filesystem::path& path, int flags,
       unsigned mode = kOwnerOnly);  // the mode of a created file
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  bool is_open() const { return descriptor_ >= 0; }  // errno has the reason if false
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<void> write_all(const File& file, const std::filesystem::path& path, std::string_view text);

// Returns the first 256 bytes of a file.
Result<std::string> read_small_file(const std::filesystem::path& path);
// Returns the whole file.
Result<std::string> read_file(const std::filesystem::path& path);
// Replaces a file atomically: after a crash it has the old or the new text. It never has another mode.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text,
                          unsigned mode = kOwnerOnly);

// The unreadable parts of a file.
struct Unreadable {
  std::uint64_t bytes = 0;
  int error = 0;  // errno of the first failed read; 0 if all succeeded
};
// Copies a file in small reads and writes zeros where a read fails: a bad sector costs only itself. Fails if the copy
// cannot be written.
Result<Unreadable> copy_readable(const std::filesystem::path& from, const std::filesystem::path& to);

Result<void> sync_file(const std::filesystem::path& path);
// A rename or a new file is durable only after its directory is synced, too.
Result<void> sync_directory(const std::filesystem::path& path);
Result<void> rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);
// Accepts a path without a trailing slash; returns "." if it has no parent.
std::filesystem::path parent_of(const std::filesystem::path& path);

Result<std::vector<std::string>> list_directory(const std::filesystem::path& path);

}  // namespace tavola
