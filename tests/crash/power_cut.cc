#include "tests/crash/power_cut.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/files.h"
#include "store/rocks/synced_facts.h"

namespace {

namespace fs = std::filesystem;

std::atomic<int> notes_fd{-1};

// Writes a note at once, so that those of several threads and processes do not mix. A note that cannot be written would
// make the test fail later for no reason: stops here.
void note(const std::string& lines) {
  if (write(notes_fd.load(), lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) _exit(99);
}

std::string path_of(int fd) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

std::string names_in(const std::string& directory) {
  std::string names;
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    names += entry->path().filename().string() + "\n";
    ++count;
  }
  return "names\n" + directory + "\n" + std::to_string(count) + "\n" + names;
}

// Returns the promise of a sync of the file. Empty for anything but a file or a directory.
std::string promise_of(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return {};
  const std::string path = path_of(fd);
  if (S_ISREG(status.st_mode)) return "file\n" + path + "\n" + std::to_string(status.st_size) + "\n";
  return S_ISDIR(status.st_mode) ? names_in(path) : "";
}

// Takes the promise before the sync: bytes appended and names created during the sync are not part of it.
int sync_and_note(long call, int fd) {
  const std::string promise = notes_fd.load() >= 0 ? promise_of(fd) : "";
  const long result = syscall(call, fd);
  if (result == 0 && !promise.empty()) note(promise);
  return static_cast<int>(result);
}

// Returns the path without links: the store reaches its files by /proc/self/fd (ClaimedDirectory::files()).
std::string resolved(const char* path) {
  std::error_code error;
  const fs::path whole(path);
  return (fs::canonical(whole.parent_path(), error) / whole.filename()).string();
}

int note_move(const char* verb, long result, const char* from, const char* to) {
  if (result == 0 && notes_fd.load() >= 0)
    note(std::string(verb) + "\n" + resolved(from) + "\n" + resolved(to) + "\n");
  return static_cast<int>(result);
}

}  // namespace

// These replace the C library's for the whole program, the store's library included.
extern "C" int fsync(int fd) { return sync_and_note(SYS_fsync, fd); }
extern "C" int fdatasync(int fd) { return sync_and_note(SYS_fdatasync, fd); }
extern "C" int rename(const char* from, const char* to) noexcept {
  // A replaced file is lost, so the cut cannot bring it back. File systems keep the order of a directory's changes: all
  // earlier ones are then safe, too.
  if (notes_fd.load() >= 0 && access(to, F_OK) == 0)
    note(names_in(fs::path(resolved(to)).parent_path().string()));
  return note_move("rename", syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to), from, to);
}
extern "C" int link(const char* from, const char* to) noexcept {
  return note_move("link", syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0), from, to);
}

namespace tavola::crash {

namespace {

// RocksDB only appends to these, and never reuses a name. SYNCED starts again under another name; its first line,
// which is overwritten, stays unchanged.
bool append_only(const fs::path& file) {
  return file.extension() == ".log" || file.extension() == ".sst" || file.filename() == store::kSyncedFile ||
         file.filename().string().starts_with("MANIFEST-");
}

// The content of the notes, by path.
struct Promised {
  std::map<std::string, std::uintmax_t> lengths;
  std::map<std::string, std::set<std::string>> names;  // in a directory
  std::map<std::string, std::string> former_names;     // before a rename
};

// A file keeps its promise under a new path, and so does everything in a directory.
template <class Value>
void carry_over(std::map<std::string, Value>& promised, const std::string& from, const std::string& to) {
  std::map<std::string, Value> carried;
  for (const auto& [path, value] : promised) {
    if (path == from || path.starts_with(from + "/")) carried[to + path.substr(from.size())] = value;
  }
  for (auto& [path, value] : carried) promised[path] = std::move(value);
}

Promised read_notes(const fs::path& notes) {
  Promised promised;
  std::ifstream in(notes);
  const auto next = [&] {
    std::string line;
    std::getline(in, line);
    return line;
  };
  for (std::string verb = next(); in; verb = next()) {
    const std::string path = next();
    const std::string rest = next();
    if (verb == "file") {
      promised.lengths[path] = std::max(promised.lengths[path], std::uintmax_t{std::stoull(rest)});
    } else if (verb == "names") {
      std::set<std::string>& names = promised.names[path];
      names.clear();
      for (std::uint64_t count = std::stoull(rest); count > 0; --count) names.insert(next());
    } else {
      carry_over(promised.lengths, path, rest);
      carry_over(promised.names, path, rest);
      if (verb == "rename") promised.former_names[rest] = path;
    }
  }
  return promised;
}

// Returns whether its name existed when its directory was synced last.
bool is_promised(const fs::path& path, const Promised& promised) {
  const auto directory = promised.names.find(path.parent_path().string());
  return directory != promised.names.end() && directory->second.contains(path.filename().string());
}

void take_name(const fs::path& path, const Promised& promised) {
  const auto former = promised.former_names.find(path.string());
  if (former != promised.former_names.end() && is_promised(former->second, promised) &&
      !fs::exists(former->second)) {
    fs::rename(path, former->second);
  } else {
    fs::remove_all(path);
  }
}

// After `kept`, all pages up to some position stay, and some of those up to another one; the first of them does not, so
// that something is always lost. Returns whether a page stayed after a lost one.
bool lose_pages(const fs::path& file, std::uintmax_t kept, std::mt19937_64& random) {
  constexpr std::uintmax_t kPageBytes = 4096;
  const std::uintmax_t size = fs::file_size(file);
  const std::uintmax_t whole = random() % 2 == 0 ? kept : kept + random() % (size - kept);
  const std::uintmax_t end = random() % 2 == 0 ? size : whole + random() % (size - whole);
  fs::resize_file(file, end);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  bool any_lost = false;
  bool torn = false;
  for (std::uintmax_t at = whole; at < end;) {
    const std::uintmax_t next = std::min(end, (at / kPageBytes + 1) * kPageBytes);
    if (!any_lost || random() % 2 == 0) {
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

// A power cut reboots the machine, and SYNCED names the boot that it was written in.
Result<void> change_boot(const fs::path& synced) {
  if (!fs::exists(synced)) return {};
  TAVOLA_TRY(std::string text, read_file(synced));
  const std::size_t begin = text.find("opened ");
  const std::size_t end = text.find('\n', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const std::string line = text.substr(begin, end - begin);
  const std::size_t directory = line.find(' ', sizeof("opened"));
  const std::string changed = "opened another-boot" + line.substr(directory, line.rfind(' ') - directory);
  text.replace(begin, end + 1 - begin, store::synced_line(changed));
  std::ofstream(synced, std::ios::binary) << text;
  return {};
}

}  // namespace

Result<void> note_syncs_in(const fs::path& notes) {
  const int fd = ::open(notes.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return fail({ErrorCode::Io, "cannot write " + notes.string()});
  notes_fd = fd;
  return {};
}

Result<Cut> cut_power(const fs::path& directory, const fs::path& notes, std::uint64_t seed) {
  Cut cut;
  if (!fs::exists(directory)) return cut;  // killed before it was created
  const Promised promised = read_notes(notes);
  std::mt19937_64 random(seed);
  if (!is_promised(directory, promised) && random() % 2 == 0) {
    take_name(directory, promised);
    return Cut{.lost_names = 1};
  }
  const bool takes_names =
      random() % 2 == 0;  // all or none: some without those before them would be an impossible state
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  std::ranges::sort(files);  // so that a seed is repeatable
  for (const fs::path& file : files) {
    if (takes_names && !is_promised(file, promised)) {
      take_name(file, promised);
      ++cut.lost_names;
      continue;
    }
    if (!append_only(file)) continue;
    const auto noted = promised.lengths.find(file.string());
    const std::uintmax_t kept = noted == promised.lengths.end() ? 0 : noted->second;
    if (fs::file_size(file) <= kept) continue;
    if (file.extension() == ".log") {
      if (lose_pages(file, kept, random)) ++cut.torn_logs;
    } else if (file.filename() == store::kSyncedFile) {
      lose_pages(file, kept, random);
    } else {
      fs::resize_file(file, kept);
    }
  }
  TAVOLA_CHECK(change_boot(directory / store::kSyncedFile));
  return cut;
}

}  // namespace tavola::crash
