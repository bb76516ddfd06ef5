#include <algorithm>
#include <fstream>
#include <vector>

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/rocks/passing_errors.h"
#include "store/rocks/rocks_options.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

std::string words_of(const rocksdb::Status& status) { return readable(status.ToString()); }

// Returns the first path inside `directory` that the text names, or an empty one.
std::string named_file(std::string_view text, const fs::path& directory) {
  const std::string prefix = directory.string() + "/";
  const std::size_t begin = text.find(prefix);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin);
  const std::size_t end = rest.find_first_of(" :,;", prefix.size());
  std::string_view file = rest.substr(0, end);
  if (file.ends_with('.')) file.remove_suffix(1);
  return std::string(file);
}

// Only RocksDB's own log names a damaged write-ahead log.
std::string damaged_log_file(const fs::path& directory) {
  std::string file;
  std::ifstream log(directory / "LOG");
  for (std::string line; std::getline(log, line);) {
    if (line.find(".log: dropping ") != std::string::npos) file = named_file(line, directory);
  }
  return file;
}

// Returns the first data file whose footer, index or properties cannot be read, or an empty text.
std::string damaged_data_file(const fs::path& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".sst") files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    if (!rocksdb::SstFileReader(rocksdb::Options{}).Open(file).ok()) return file;
  }
  return {};
}

std::string damaged_file(const std::string& message, const fs::path& directory) {
  if (message.find("CURRENT file") != std::string::npos) return directory / "CURRENT";
  std::string named = named_file(message, directory);
  if (named.empty()) return damaged_log_file(directory);
  if (named.find("/MANIFEST-") == std::string::npos) return named;
  // RocksDB also blames the manifest for a data file that it names.
  std::string data_file = damaged_data_file(directory);
  return data_file.empty() ? named : data_file;
}

Error corrupt(const std::string& message, const fs::path& directory) {
  const std::string file = damaged_file(message, directory);
  if (!file.empty()) return file_is_damaged(file, message);
  return Error::corrupt("a file in " + quoted(directory) +
                        " is damaged; restore the directory from a backup (" + readable(message) + ")");
}

Error disk_full(const fs::path& directory) {
  // RocksDB resumes once there is space for a write buffer (its sst_file_manager_impl.cc).
  constexpr std::size_t kMegabytesNeeded = RocksOptions{}.write_buffer_bytes / (std::size_t{1024} * 1024);
  return {ErrorCode::DiskFull,
          "the disk of " + quoted(directory) +
              " is full; acknowledged writes are safe, and writing (deleting too) resumes "
              "by itself some seconds after " +
              std::to_string(kMegabytesNeeded) + " MB are free"};
}

// A write that waited for a flush gets the flush's error as Incomplete, with only its text.
bool is_disk_full(const rocksdb::Status& status) {
  return status.IsNoSpace() ||
         (status.IsIncomplete() && status.ToString().find("No space left") != std::string::npos);
}

Error too_many_open_files(const rocksdb::Status& status, const fs::path& directory) {
  return {ErrorCode::Io,
          "too many files are open to read or write those in " + quoted(directory) +
              "; acknowledged writes are safe, and the store resumes by itself some seconds after "
              "connections or files are closed, or the limit (ulimit -n) is raised (" +
              words_of(status) + ")"};
}

}  // namespace

Error rocks_error(const rocksdb::Status& status, const fs::path& directory) {
  const std::string where = quoted(directory);
  if (is_disk_full(status)) return disk_full(directory);
  if (is_out_of_descriptors(status)) return too_many_open_files(status, directory);
  if (status.IsCorruption()) return corrupt(status.ToString(), directory);
  if (status.IsIOError()) {
    return {ErrorCode::Io, "cannot read or write the files in " + where + " (" + words_of(status) + ")"};
  }
  return Error::internal("the store in " + where + " failed (" + words_of(status) + ")");
}

Error rocks_write_error(const rocksdb::Status& status, const fs::path& directory) {
  const bool is_final = (status.IsIOError() || status.IsIncomplete()) && !is_disk_full(status) &&
                        !is_out_of_descriptors(status);
  if (!is_final) return rocks_error(status, directory);
  return {ErrorCode::Io, "cannot write the files in " + quoted(directory) +
                             "; check the disk and open the directory again (" + words_of(status) + ")"};
}

Error rocks_sync_error(const rocksdb::Status& status, const fs::path& directory) {
  if (!status.IsNoSpace()) return rocks_write_error(status, directory);
  return {ErrorCode::DiskFull,
          "the disk of " + quoted(directory) +
              " is full, and the latest writes may not be on it; make space and open the "
              "directory again"};
}

Error log_is_stuck(const fs::path& directory) {
  return {ErrorCode::DiskFull,
          "the disk of " + quoted(directory) +
              " was full when a new log was started; acknowledged writes are safe, and writing "
              "resumes when the directory is opened again"};
}

Error disk_is_silent(const fs::path& directory) {
  return {ErrorCode::Io,
          "the disk of " + quoted(directory) +
              " has not finished a sync that started seconds ago; writes wait for it. Check the disk and "
              "the programs that use it"};
}

Error log_is_lost(const fs::path& directory, std::string_view reason) {
  return {ErrorCode::Io,
          "the log of the open store in " + quoted(directory) + " cannot be found (" +
              readable(std::string(reason)) +
              "): it was deleted, moved, replaced or made unreadable. Nothing is written until it is "
              "restored. Put it back unchanged, or stop the server and open a backup"};
}

Error rocks_open_error(const rocksdb::Status& status, const fs::path& directory) {
  const std::string message = status.ToString();
  fs::path file = named_file(message, directory);
  if (message.find("No such file or directory") == std::string::npos || file.empty()) {
    return rocks_error(status, directory);
  }
  if (file.extension() == ".ldb") file.replace_extension(".sst");  // the older name, which RocksDB tries last
  return file_is_missing(file);
}

}  // namespace tavola::store
