#include "objects/storage/folder.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/files.h"
#include "base/random.h"

namespace tavola::objects {
namespace {

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Not a pipe's or a device's: opening one may wait, or do something.
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
constexpr unsigned kFolderMode = 0777;

bool is_missing(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENXIO || error == ENAMETOOLONG;
}

Error error_at(std::string_view attempt, std::string_view name) {
  const int number = errno;
  const std::string text(name);
  if (number == ENOSPC || number == EDQUOT)
    return {ErrorCode::DiskFull, system_error(attempt, text, number).message()};
  return system_error(attempt, text, number);
}

// Returns whether the entry is a file or a folder, and sets which.
bool look_at(int folder, const dirent& entry, bool& is_folder) {
  unsigned char kind = entry.d_type;
  if (kind == DT_UNKNOWN) {
    struct stat status{};
    if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    kind = S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_UNKNOWN;
  }
  is_folder = kind == DT_DIR;
  return kind == DT_DIR || kind == DT_REG;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::optional<FileFacts> facts_of(const Descriptor& file) {
  struct stat status{};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileFacts{.size_bytes = static_cast<std::uint64_t>(status.st_size),
                   .modified_ns = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

Result<Folder> Folder::open(const std::string& path) {
  Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return fail(error_at("open", path));
  return Folder(std::move(opened));
}

Result<std::optional<Folder>> Folder::find_folder(std::string_view name) const {
  Descriptor opened(::openat(descriptor_.number(), std::string(name).c_str(), kOpenFolder));
  if (opened.is_open()) return Folder(std::move(opened));
  if (is_missing(errno)) return std::optional<Folder>();
  return fail(error_at("open", name));
}

Result<std::optional<Folder>> Folder::make_folder(std::string_view name) const {
  if (::mkdirat(descriptor_.number(), std::string(name).c_str(), kFolderMode) == 0) {
    TAVOLA_CHECK(sync());
  } else if (errno != EEXIST && !is_missing(errno)) {
    return fail(error_at("create", name));
  }
  return find_folder(name);
}

Result<std::optional<Folder>> Folder::find_path(std::string_view path) const {
  TAVOLA_TRY(std::optional<Folder> at, find_folder("."));
  while (at && !path.empty()) {
    const std::size_t size = std::min(path.find('/'), path.size());
    TAVOLA_TRY(at, at->find_folder(path.substr(0, size)));
    path.remove_prefix(std::min(size + 1, path.size()));
  }
  return at;
}

Result<std::optional<Folder>> Folder::make_path(std::string_view path) const {
  TAVOLA_TRY(std::optional<Folder> at, find_folder("."));
  while (at && !path.empty()) {
    const std::size_t size = std::min(path.find('/'), path.size());
    TAVOLA_TRY(at, at->make_folder(path.substr(0, size)));
    path.remove_prefix(std::min(size + 1, path.size()));
  }
  return at;
}

Result<std::optional<Descriptor>> Folder::find_file(std::string_view name) const {
  Descriptor opened(::openat(descriptor_.number(), std::string(name).c_str(), kOpenFile));
  if (!opened.is_open()) {
    if (is_missing(errno)) return std::optional<Descriptor>();
    return fail(error_at("open", name));
  }
  if (!facts_of(opened)) return std::optional<Descriptor>();
  return opened;
}

Result<Descriptor> Folder::create_file(std::string_view name) const {
  Descriptor created(::openat(descriptor_.number(), std::string(name).c_str(),
                              O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kByUmask));
  if (!created.is_open()) return fail(error_at("create", name));
  return created;
}

Result<std::string> Folder::read_file(std::string_view name) const {
  TAVOLA_TRY(const std::optional<Descriptor> file, find_file(name));
  if (!file) return fail(Error(ErrorCode::ResourceNotFound, "there is no file " + std::string(name)));
  const auto facts = facts_of(*file);
  std::string text(facts ? facts->size_bytes : 0, '\0');
  if (!read_bytes(*file, 0, text)) return fail(error_at("read", name));
  return text;
}

Result<void> Folder::write_file(std::string_view name, std::string_view text) const {
  const std::string draft = std::string(name) + "." + make_uuid(Random::system()) + ".tmp";
  TAVOLA_TRY(const Descriptor file, create_file(draft));
  TAVOLA_CHECK(write_bytes(file, text));
  TAVOLA_CHECK(objects::sync(file));
  TAVOLA_CHECK(take_file(*this, draft, name));
  return sync();
}

Result<bool> Folder::take_file(const Folder& from, std::string_view old_name, std::string_view name) const {
  if (::renameat(from.descriptor_.number(), std::string(old_name).c_str(), descriptor_.number(),
                 std::string(name).c_str()) == 0) {
    return true;
  }
  if (errno == EISDIR || errno == ENOTDIR || errno == ENOTEMPTY || errno == EEXIST) return false;
  return fail(error_at("create", name));
}

Result<bool> Folder::remove_file(std::string_view name) const {
  if (::unlinkat(descriptor_.number(), std::string(name).c_str(), 0) == 0) return true;
  if (is_missing(errno) || errno == EISDIR) return false;
  return fail(error_at("delete", name));
}

Result<bool> Folder::remove_folder(std::string_view name) const {
  if (::unlinkat(descriptor_.number(), std::string(name).c_str(), AT_REMOVEDIR) == 0) return true;
  if (is_missing(errno) || errno == ENOTEMPTY || errno == EEXIST || errno == EBUSY) return false;
  return fail(error_at("delete", name));
}

Result<void> Folder::remove_tree(std::string_view name) const {
  TAVOLA_TRY(const std::optional<Folder> tree, find_folder(name));
  if (!tree) return {};
  TAVOLA_TRY(const std::vector<FolderEntry> entries, tree->entries());
  for (const FolderEntry& entry : entries) {
    if (entry.is_folder) {
      TAVOLA_CHECK(tree->remove_tree(entry.name));
    } else {
      TAVOLA_CHECK(tree->remove_file(entry.name));
    }
  }
  TAVOLA_CHECK(remove_folder(name));
  return {};
}

Result<std::vector<FolderEntry>> Folder::entries() const {
  const int copy = ::openat(descriptor_.number(), ".", kOpenFolder);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy), &::closedir);
  if (stream == nullptr) {
    if (copy >= 0) ::close(copy);
    return fail(error_at("read", "a folder"));
  }
  std::vector<FolderEntry> found;
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    bool is_folder = false;
    if (name == "." || name == ".." || !look_at(copy, *entry, is_folder)) continue;
    found.push_back({.name = std::string(name), .is_folder = is_folder});
  }
  if (errno != 0) return fail(error_at("read", "a folder"));
  return found;
}

Result<void> Folder::sync() const { return objects::sync(descriptor_); }

Result<bool> Folder::lock() const {
  if (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return fail(error_at("lock", "a folder"));
}

WallTime Folder::created_at() const {
  struct statx status{};
  if (::statx(descriptor_.number(), "", AT_EMPTY_PATH, STATX_BTIME | STATX_MTIME, &status) != 0) return {};
  // Not every file system keeps the time of creation.
  const auto& moment = (status.stx_mask & STATX_BTIME) != 0 ? status.stx_btime : status.stx_mtime;
  return WallTime(std::chrono::seconds(moment.tv_sec));
}

Result<void> write_bytes(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(error_at("write", "an object"));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

bool read_bytes(const Descriptor& file, std::uint64_t offset, std::span<char> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(file.number(), into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

Result<void> sync(const Descriptor& file) {
  if (::fsync(file.number()) != 0) return fail(error_at("sync", "a file"));
  return {};
}

}  // namespace tavola::objects
