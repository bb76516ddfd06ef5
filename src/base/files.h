// Files: small ones read and replaced as a whole, descriptors that close themselves, and everything synced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola {

// Returns the text with the paths of pinned directories (pinned_path()) replaced by where those directories are now. Every
// text for people goes through it.
std::string readable(std::string text);

// In messages: the readable path in quotes.
std::string quoted(const std::filesystem::path& path);

// Returns a path that leads to the open directory wherever it is moved, and whatever is put in its place. Begins with:
inline constexpr std::string_view kPinnedPrefix = "/proc/self/fd/";
std::filesystem::path pinned_path(int descriptor);

// Carried by the errors below: what is wrong with which file, e.g. {"/data/CURRENT", "it is damaged (no newline)"}.
struct FileFault final : ErrorDetail {
  FileFault(std::filesystem::path where, std::string why) : file(std::move(where)), reason(std::move(why)) {}
  std::filesystem::path file;
  std::string reason;
};

// Returns "'/data/000004.log' is missing (…)" for an error with a FileFault, without what to do; its message for others.
std::string fault_of(const Error& error);

// An error of the operating system (errno), e.g. "cannot create '/data': Permission denied".
Error system_error(std::string_view attempt, const std::filesystem::path& path, int number);

// The mode of a file that only its owner may read: what clients wrote, and what is known about it.
inline constexpr unsigned kOwnerOnly = 0600;
// The mode of a file that was made for others to read; the process's umask decides who may.
inline constexpr unsigned kByUmask = 0666;

// An open file descriptor; closed at the end.
class File {
 public:
  File(const std::filesystem::path& path, int flags,
       unsigned mode = kOwnerOnly);  // the mode of what it creates
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  bool is_open() const { return descriptor_ >= 0; }  // errno says why it is not
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<void> write_all(const File& file, const std::filesystem::path& path, std::string_view text);

// The first 256 bytes of a file.
Result<std::string> read_small_file(const std::filesystem::path& path);
// All of a file.
Result<std::string> read_file(const std::filesystem::path& path);
// Replaces a file as a whole: after a crash it has the old or the new text. At no moment has it another mode.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text,
                          unsigned mode = kOwnerOnly);

// What could not be read of a file.
struct Unreadable {
  std::uint64_t bytes = 0;
  int error = 0;  // errno of the first read that failed; 0 when all could be read
};
// Copies a file in small reads and puts zeros where a read fails: one bad sector costs no more than itself. Fails when the
// copy cannot be written.
Result<Unreadable> copy_readable(const std::filesystem::path& from, const std::filesystem::path& to);

Result<void> sync_file(const std::filesystem::path& path);
// A rename or a new file is durable only when its directory is synced too.
Result<void> sync_directory(const std::filesystem::path& path);
Result<void> rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);
// Of a path without a slash at the end; "." when it names no other.
std::filesystem::path parent_of(const std::filesystem::path& path);

Result<std::vector<std::string>> list_directory(const std::filesystem::path& path);

}  // namespace tavola
