#include <rocksdb/status.h>

#include "store/rocks_options.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

// The first path inside `directory` that the message names, or nothing.
std::string named_file(std::string_view message, const fs::path& directory) {
  const std::string prefix = directory.string() + "/";
  const std::size_t begin = message.find(prefix);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = message.substr(begin);
  const std::size_t end = rest.find_first_of(" :,;", prefix.size());
  std::string_view file = rest.substr(0, end);
  if (file.ends_with('.')) file.remove_suffix(1);
  return std::string(file);
}

}  // namespace

Error rocks_error(const rocksdb::Status& status, const fs::path& directory) {
  const std::string message = status.ToString();
  const std::string where = "'" + directory.string() + "'";
  if (status.IsNoSpace()) {
    return {ErrorCode::DiskFull,
            "the disk of " + where +
                " is full; what was acknowledged is safe, and writing resumes when there is space"};
  }
  if (status.IsCorruption()) {
    const std::string file = named_file(message, directory);
    return Error::corrupt((file.empty() ? "a file in " + where : "the file '" + file + "'") +
                          " is damaged; restore the directory from a backup (" + message + ")");
  }
  if (status.IsIOError()) return {ErrorCode::Io, "cannot use the files in " + where + ": " + message};
  return Error::internal("the store in " + where + " failed: " + message);
}

}  // namespace tavola::store
