#include "tests/crash/power_cut.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace {

std::atomic<int> notes_fd{-1};

// The length is taken before the sync: bytes appended meanwhile are not promised.
int sync_and_note(long call, int fd) {
  const int notes = notes_fd.load();
  struct stat before{};
  const bool regular = notes >= 0 && fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  const long result = syscall(call, fd);
  if (result != 0 || !regular) return static_cast<int>(result);
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = readlink(link.c_str(), path.data(), path.size());
  if (length <= 0) return 0;
  const std::string line = std::to_string(before.st_size) + " " +
                           std::string(path.data(), static_cast<std::size_t>(length)) + "\n";
  // A note that cannot be written would make the test fail later for no reason: stop here.
  if (write(notes, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(99);
  return 0;
}

}  // namespace

// These replace the C library's for the whole program, the store's library included.
extern "C" int fsync(int fd) { return sync_and_note(SYS_fsync, fd); }
extern "C" int fdatasync(int fd) { return sync_and_note(SYS_fdatasync, fd); }

namespace tavola::crash {

namespace {

// RocksDB only ever appends to these, and never uses a name twice.
bool append_only(const std::filesystem::path& file) {
  return file.extension() == ".log" || file.extension() == ".sst" ||
         file.filename().string().starts_with("MANIFEST-");
}

}  // namespace

Result<void> note_syncs_in(const std::filesystem::path& notes) {
  const int fd = open(notes.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return fail({ErrorCode::Io, "cannot write " + notes.string()});
  notes_fd = fd;
  return {};
}

Result<void> cut_power(const std::filesystem::path& store, const std::filesystem::path& notes) {
  if (!std::filesystem::exists(store)) return {};  // killed before it was made
  std::map<std::string, std::uintmax_t> safe;
  std::ifstream in(notes);
  std::uintmax_t size = 0;
  std::string path;
  while (in >> size && std::getline(in >> std::ws, path)) {
    auto& most = safe[path];
    most = std::max(most, size);
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store, error)) {
    if (!entry.is_regular_file() || !append_only(entry.path())) continue;
    const auto noted = safe.find(std::filesystem::canonical(entry.path()).string());
    const std::uintmax_t kept = noted == safe.end() ? 0 : noted->second;
    if (entry.file_size() > kept) std::filesystem::resize_file(entry.path(), kept, error);
    if (error) break;
  }
  if (error) return fail({ErrorCode::Io, "cannot cut " + store.string() + ": " + error.message()});
  return {};
}

}  // namespace tavola::crash
