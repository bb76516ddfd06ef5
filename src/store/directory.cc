#include "store/directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/files.h"
#include "store/data_files.h"

namespace tavola::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFormatPrefix = "tavola store ";
constexpr std::string_view kFormatFamily = "tavola ";  // the start of FORMAT in every version of Tavola
constexpr const char* kFormatFile = "FORMAT";
constexpr const char* kFormatDraft = "FORMAT.tmp";
constexpr const char* kOwnerFile = "OWNER";

// Without a slash at the end.
fs::path trimmed(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

// Returns the N of "tavola store N\n"; nullopt for any other text.
std::optional<int> version_in(std::string_view text) {
  if (!text.starts_with(kFormatPrefix)) return std::nullopt;
  int version = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + kFormatPrefix.size(), end, version);
  const bool is_whole = error == std::errc{} && std::string_view(rest, end) == "\n" && version > 0;
  return is_whole ? std::optional(version) : std::nullopt;
}

Result<int> parse_format(const fs::path& file, std::string_view text) {
  if (const std::optional<int> version = version_in(text)) return *version;
  if (!text.starts_with(kFormatPrefix) && text.starts_with(kFormatFamily) && text.ends_with('\n') &&
      !kFormatPrefix.starts_with(text.substr(0, text.size() - 1))) {
    text.remove_suffix(1);
    return fail(
        Error(ErrorCode::NewerFormat, "the file " + quoted(file) + " says '" + std::string(text) +
                                          "', which this Tavola does not know: a newer one wrote it; upgrade "
                                          "Tavola to open the directory"));
  }
  return fail(file_is_damaged(file, "it does not name a format version"));
}

bool is_file_of_store(std::string_view name) {
  return name == kFormatFile || name.ends_with(".sst") || name.starts_with("MANIFEST-");
}

// The contents of a directory.
enum class Contents : std::uint8_t { Missing, Nothing, Store };

Result<void> check_version(const fs::path& directory, int version) {
  if (version <= kStoreFormat) return {};
  return fail(
      Error(ErrorCode::NewerFormat, quoted(directory) + " was written by a newer Tavola (store format " +
                                        std::to_string(version) + ", this one reads up to " +
                                        std::to_string(kStoreFormat) + "); upgrade Tavola to open it"));
}

Result<void> check_format(const fs::path& directory) {
  const fs::path file = directory / kFormatFile;
  TAVOLA_TRY(const std::string text, read_small_file(file));
  TAVOLA_TRY(const int version, parse_format(file, text));
  return check_version(directory, version);
}

Result<Contents> inspect(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return Contents::Missing;
  if (error) return fail(system_error("open", path, error.value()));
  if (status.type() != fs::file_type::directory) {
    return fail(Error(ErrorCode::Io, "cannot open " + quoted(path) + ": it is a file, not a directory"));
  }
  TAVOLA_TRY(const std::vector<std::string> names, list_directory(path));
  if (std::ranges::find(names, kFormatFile) != names.end()) {
    TAVOLA_CHECK(check_format(path));
    return Contents::Store;
  }
  // Files that an interrupted first open, or a file system's root, may contain.
  const auto is_ours = [](std::string_view name) {
    return name == kOwnerFile || name == kFormatDraft || name == "lost+found";
  };
  const auto foreign = std::ranges::find_if_not(names, is_ours);
  if (foreign == names.end()) return Contents::Nothing;
  if (std::ranges::any_of(names, is_file_of_store)) return fail(file_is_missing(path / kFormatFile));
  return fail(Error(ErrorCode::Io, quoted(path) + " is not a Tavola directory: it has files (such as '" +
                                       *foreign + "') but no " + kFormatFile +
                                       " file; choose an empty or a new directory"));
}

Error locked_by_other(const fs::path& path, const fs::path& owner_file) {
  std::string owner = read_small_file(owner_file).value_or("");
  while (owner.ends_with('\n')) owner.pop_back();
  if (owner == std::to_string(::getpid())) {
    return {ErrorCode::Locked, "this process already has " + quoted(path) + " open; use another directory"};
  }
  const std::string who = owner.empty() ? "another process" : "another process (" + owner + ")";
  return {ErrorCode::Locked, who + " has " + quoted(path) + " open; stop it or use another directory"};
}

// Opens the directory and locks it, except on file systems without locks (NFS): there the lock on OWNER must suffice.
Result<std::unique_ptr<File>> lock_directory(const fs::path& directory) {
  auto lock = std::make_unique<File>(directory, O_RDONLY | O_DIRECTORY);
  if (!lock->is_open()) return fail(system_error("open", directory, errno));
  // flock, not fcntl: it also excludes a second open by the same process.
  if (::flock(lock->get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) return fail(locked_by_other(directory, directory / kOwnerFile));
  return lock;
}

// Returns the path itself if /proc is missing or shows something else.
fs::path path_of_files(const fs::path& path, const File& directory) {
  const fs::path pinned = pinned_path(directory.get());
  std::error_code error;
  return fs::equivalent(pinned, path, error) && !error ? pinned : path;
}

// Locks OWNER, as an older Tavola does, and writes our process id into it, for the error message of the next process.
Result<std::unique_ptr<File>> lock_owner_file(const fs::path& directory) {
  const fs::path path = directory / kOwnerFile;
  auto file = std::make_unique<File>(path, O_RDWR | O_CREAT);
  if (!file->is_open()) return fail(system_error("write to the directory", directory, errno));
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return fail(locked_by_other(directory, path));
    return fail(system_error("lock", path, errno));
  }
  if (::ftruncate(file->get(), 0) != 0) return fail(system_error("write", path, errno));
  TAVOLA_CHECK(write_all(*file, path, std::to_string(::getpid()) + "\n"));
  return file;
}

// RocksDB creates CURRENT once a new database is complete. Without it, only earlier files may exist: if there were data
// in the directory, creating a new database would delete it.
Result<bool> has_database(const fs::path& directory) {
  TAVOLA_TRY(const std::vector<std::string> names, list_directory(directory));
  if (std::ranges::find(names, "CURRENT") != names.end()) return true;
  const auto holds_data = [](std::string_view name) {
    return name.ends_with(".sst") || name.ends_with(".log");
  };
  if (std::ranges::none_of(names, holds_data)) return false;
  return fail(file_is_missing(directory / "CURRENT"));
}

}  // namespace

Result<void> make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  const int number = errno;
  if (number == EEXIST) return {};
  if (number == ENOENT) {  // also if a file system like /proc accepts no directories
    std::error_code ignored;
    const bool has_parent = fs::exists(parent_of(path), ignored);
    return fail(Error(
        ErrorCode::Io,
        "cannot create " + quoted(path) + ": its parent directory " + quoted(parent_of(path)) +
            (has_parent ? " takes no directories; choose another" : " does not exist; create it first")));
  }
  return fail(system_error("create", path, number));
}

Result<void> write_format_file(const fs::path& directory) {
  return replace_file(directory / kFormatFile,
                      std::string(kFormatPrefix) + std::to_string(kStoreFormat) + "\n");
}

Result<DirectoryLock> lock_unchanged(const fs::path& path) {
  TAVOLA_TRY(const std::vector<std::string> names, list_directory(path));
  if (std::ranges::none_of(names, is_file_of_store)) {
    return fail(Error(ErrorCode::Io, quoted(path) + " is not a Tavola directory: it has none of its files"));
  }
  DirectoryLock lock;
  const bool has_format = std::ranges::find(names, kFormatFile) != names.end();
  const Result<std::string> format = read_small_file(path / kFormatFile);
  const std::optional<int> version = version_in(format.value_or(""));
  if (version) TAVOLA_CHECK(check_version(path, *version));
  if (!has_format) lock.format_problem = "it is missing";
  if (has_format && !format) lock.format_problem = "it cannot be read (" + format.error().message() + ")";
  if (format && !version) lock.format_problem = "it is damaged (it does not name a format version)";
  TAVOLA_TRY(lock.directory, lock_directory(path));
  lock.owner_file = std::make_unique<File>(path / kOwnerFile, O_RDONLY);
  if (lock.owner_file->is_open() && ::flock(lock.owner_file->get(), LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    return fail(locked_by_other(path, path / kOwnerFile));
  }
  return lock;
}

ClaimedDirectory::ClaimedDirectory(fs::path path, std::unique_ptr<File> lock,
                                   std::unique_ptr<File> owner_file)
    : path_(std::move(path)),
      files_(path_of_files(path_, *lock)),
      lock_(std::move(lock)),
      owner_file_(std::move(owner_file)),
      owner_process_(::getpid()) {}

Result<void> ClaimedDirectory::check_owner() const {
  if (::getpid() == owner_process_) return {};
  return fail(Error(ErrorCode::Locked,
                    "cannot write to " + quoted(path_) + ": process " + std::to_string(owner_process_) +
                        " has it open, and this one was forked from it; write there, or open "
                        "another directory here"));
}

Result<ClaimedDirectory> ClaimedDirectory::claim(const fs::path& wanted) {
  if (wanted.empty()) return fail(Error(ErrorCode::Io, "cannot open a database: its directory has no name"));
  std::error_code unknown;  // if the working directory is gone, the path stays as it is and fails below
  const fs::path absolute = fs::absolute(wanted, unknown);
  const fs::path path = trimmed(unknown ? wanted : absolute);
  TAVOLA_TRY(const Contents before, inspect(path));
  if (before == Contents::Missing) TAVOLA_CHECK(make_directory(path));
  TAVOLA_TRY(std::unique_ptr<File> lock, lock_directory(path));
  TAVOLA_TRY(std::unique_ptr<File> owner_file, lock_owner_file(path));
  ClaimedDirectory claimed(path, std::move(lock), std::move(owner_file));
  // Another process may have opened and closed it between the first check and the lock.
  TAVOLA_TRY(const Contents contents, inspect(path));
  if (contents != Contents::Store) {
    // Also for an existing one: an earlier open may have been killed before it came to this.
    const Result<void> synced = sync_directory(parent_of(path));
    if (before == Contents::Missing)
      TAVOLA_CHECK(synced);  // otherwise we need not be able to read its parent
    TAVOLA_CHECK(write_format_file(path));
  }
  TAVOLA_TRY(const bool has_data, has_database(path));
  claimed.is_new_ = !has_data;
  return claimed;
}

Result<CheckpointDirectory> CheckpointDirectory::prepare(const fs::path& wanted) {
  const fs::path path = trimmed(wanted);
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    return fail(Error(ErrorCode::Io, "cannot write a checkpoint to " + quoted(path) +
                                         ": it exists already; choose a new directory"));
  }
  const fs::path building = path.string() + std::string(kBuildingSuffix);
  fs::remove_all(building, error);  // left by an interrupted checkpoint
  if (error) return fail(system_error("remove", building, error.value()));
  // Tried here, so that the error message is ours and not RocksDB's.
  TAVOLA_CHECK(make_directory(building));
  fs::remove(building, error);
  return CheckpointDirectory(path, building);
}

CheckpointDirectory::~CheckpointDirectory() {
  std::error_code error;
  if (!building_.empty()) fs::remove_all(building_, error);
}

Result<void> CheckpointDirectory::publish() const { return rename_synced(building_, path_); }

}  // namespace tavola::store
