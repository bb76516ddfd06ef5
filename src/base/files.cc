#include "base/files.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/ascii.h"

namespace tavola {

namespace fs = std::filesystem;

std::string readable(std::string text) {
  std::size_t begin = 0;
  while ((begin = text.find(kPinnedPrefix, begin)) != std::string::npos) {
    std::size_t end = begin + kPinnedPrefix.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    std::error_code unknown;
    const std::string real = fs::read_symlink(text.substr(begin, end - begin), unknown).string();
    if (!unknown) text.replace(begin, end - begin, real);
    begin = unknown ? end : begin + real.size();
  }
  return text;
}

std::string quoted(const fs::path& path) { return "'" + readable(path.string()) + "'"; }

fs::path pinned_path(int descriptor) { return std::string(kPinnedPrefix) + std::to_string(descriptor); }

std::string fault_of(const Error& error) {
  constexpr std::string_view kIt = "it";
  const auto* const fault = error.detail<FileFault>();
  if (fault == nullptr || !fault->reason.starts_with(kIt)) return error.message();
  return quoted(fault->file) + fault->reason.substr(kIt.size());
}

Error system_error(std::string_view attempt, const fs::path& path, int number) {
  const ErrorCode code = number == ENOSPC || number == EDQUOT ? ErrorCode::DiskFull : ErrorCode::Io;
  const std::string reason = std::generic_category().message(number);
  const std::string cannot = "cannot " + std::string(attempt) + " ";
  std::string message = cannot + quoted(path) + ": " + reason;
  if (number == EMFILE || number == ENFILE) {
    message += "; close connections or files, or raise the limit (ulimit -n)";
  }
  return {code, std::move(message), std::make_shared<FileFault>(path, cannot + "it: " + reason)};
}

File::File(const fs::path& path, int flags, unsigned mode)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> write_all(const File& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(file.get(), text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return fail(system_error("write", path, errno));
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return {};
}

namespace {

Result<std::string> read_up_to(const fs::path& path, const File& file, std::size_t size) {
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t bytes = ::read(file.get(), text.data() + filled, size - filled);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return fail(system_error("read", path, errno));
    if (bytes == 0) break;
    filled += static_cast<std::size_t>(bytes);
  }
  text.resize(filled);
  return text;
}

Result<void> write_synced(const fs::path& path, std::string_view text, unsigned mode) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (!file.is_open()) return fail(system_error("write", path, errno));
  TAVOLA_CHECK(write_all(file, path, text));
  if (::fsync(file.get()) != 0) return fail(system_error("sync", path, errno));
  return {};
}

}  // namespace

Result<std::string> read_small_file(const fs::path& path) {
  constexpr std::size_t kBytesMax = 256;
  const File file(path, O_RDONLY);
  if (!file.is_open()) return fail(system_error("read", path, errno));
  return read_up_to(path, file, kBytesMax);
}

Result<std::string> read_file(const fs::path& path) {
  const File file(path, O_RDONLY);
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return fail(system_error("read", path, errno));
  return read_up_to(path, file, static_cast<std::size_t>(status.st_size));
}

Result<void> replace_file(const fs::path& path, std::string_view text, unsigned mode) {
  const fs::path draft = path.string() + ".tmp";
  ::unlink(draft.c_str());  // one left by a crash may have another mode
  if (auto written = write_synced(draft, text, mode); !written) {
    ::unlink(draft.c_str());
    return written;
  }
  return rename_synced(draft, path);
}

Result<Unreadable> copy_readable(const fs::path& from, const fs::path& to) {
  constexpr std::uint64_t kPieceBytes = 4096;
  const File copy(to, O_WRONLY | O_CREAT | O_TRUNC);
  if (!copy.is_open()) return fail(system_error("write", to, errno));
  const File file(from, O_RDONLY);
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return Unreadable{.error = errno};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Unreadable unreadable;
  for (std::uint64_t at = 0; at < size;) {
    std::string piece(std::min(kPieceBytes, size - at), '\0');
    const ssize_t bytes = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes == 0) break;
    if (bytes < 0) {
      if (unreadable.error == 0) unreadable.error = errno;
      unreadable.bytes += piece.size();
      piece.assign(piece.size(), '\0');
    } else {
      piece.resize(static_cast<std::size_t>(bytes));
    }
    TAVOLA_CHECK(write_all(copy, to, piece));
    at += piece.size();
  }
  return unreadable;
}

Result<void> sync_file(const fs::path& path) {
  const File file(path, O_RDONLY);
  if (!file.is_open() || ::fsync(file.get()) != 0) return fail(system_error("sync", path, errno));
  return {};
}

Result<void> sync_directory(const fs::path& path) {
  const File directory(path, O_RDONLY | O_DIRECTORY);
  if (!directory.is_open() || ::fsync(directory.get()) != 0) return fail(system_error("sync", path, errno));
  return {};
}

Result<void> rename_synced(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(system_error("create", to, errno));
  return sync_directory(parent_of(to));
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Result<std::vector<std::string>> list_directory(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return fail(system_error("read the directory", path, error.value()));
  return names;
}

}  // namespace tavola
