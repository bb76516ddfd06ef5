#include "tests/crash/power_cut.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
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

// Lengths of the files that were synced.
std::map<std::string, std::uintmax_t> synced_lengths(const std::filesystem::path& notes) {
  std::map<std::string, std::uintmax_t> lengths;
  std::ifstream in(notes);
  std::uintmax_t size = 0;
  std::string path;
  while (in >> size && std::getline(in >> std::ws, path)) {
    auto& most = lengths[path];
    most = std::max(most, size);
  }
  return lengths;
}

// Behind `kept`, all pages up to some place stay, and some of those up to some other place. Returns whether one stayed
// behind one that did not.
bool lose_pages(const std::filesystem::path& file, std::uintmax_t kept, std::mt19937_64& random) {
  constexpr std::uintmax_t kPageBytes = 4096;
  const std::uintmax_t size = std::filesystem::file_size(file);
  const std::uintmax_t whole = random() % 2 == 0 ? kept : kept + random() % (size - kept + 1);
  const std::uintmax_t end = random() % 2 == 0 ? size : whole + random() % (size - whole + 1);
  std::filesystem::resize_file(file, end);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  bool any_lost = false;
  bool torn = false;
  for (std::uintmax_t at = whole; at < end;) {
    const std::uintmax_t next = std::min(end, (at / kPageBytes + 1) * kPageBytes);
    if (random() % 2 == 0) {
      stream.seekp(static_cast<std::streamoff>(at));
      stream << std::string(next - at, '\0');
      any_lost = true;
    } else {
      torn = any_lost;
    }
    at = next;
  }
  return torn;
}

}  // namespace

Result<void> note_syncs_in(const std::filesystem::path& notes) {
  const int fd = open(notes.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return fail({ErrorCode::Io, "cannot write " + notes.string()});
  notes_fd = fd;
  return {};
}

Result<Cut> cut_power(const std::filesystem::path& store, const std::filesystem::path& notes,
                      std::uint64_t seed) {
  Cut cut;
  if (!std::filesystem::exists(store)) return cut;  // killed before it was made
  const std::map<std::string, std::uintmax_t> synced = synced_lengths(notes);
  std::mt19937_64 random(seed);
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store, error)) {
    if (!entry.is_regular_file() || !append_only(entry.path())) continue;
    const auto noted = synced.find(std::filesystem::canonical(entry.path()).string());
    const std::uintmax_t kept = noted == synced.end() ? 0 : noted->second;
    if (entry.file_size() <= kept) continue;
    if (entry.path().extension() == ".log") {
      if (lose_pages(entry.path(), kept, random)) ++cut.torn_logs;
    } else {
      std::filesystem::resize_file(entry.path(), kept, error);
    }
    if (error) break;
  }
  if (error) return fail({ErrorCode::Io, "cannot cut " + store.string() + ": " + error.message()});
  return cut;
}

}  // namespace tavola::crash
