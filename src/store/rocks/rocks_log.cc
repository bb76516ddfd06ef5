#include "store/rocks/rocks_log.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <rocksdb/env.h>

#include "base/files.h"
#include "base/locks.h"

namespace tavola::store {
namespace {

constexpr std::size_t kLogBytesMax = std::size_t{1024} * 1024;

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ ", &utc);
  return {text.data(), length};
}

std::string formatted(const char* format, std::va_list arguments) {
  std::array<char, 1024> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  if (length < 0) return {};
  return {text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1)};
}

// One mutex for all logs: messages are rare. Being older than any log, it shows ThreadSanitizer that a log is built
// before RocksDB's threads use it, which the sanitizer cannot see otherwise.
Mutex log_mutex;

// Thread safety: all methods; internally locked by log_mutex.
class RocksLog final : public rocksdb::Logger {
 public:
  explicit RocksLog(std::filesystem::path path) : Logger(rocksdb::WARN_LEVEL), path_(std::move(path)) {
    const MutexLock lock(log_mutex);
    open();
  }
  ~RocksLog() override {
    const MutexLock lock(log_mutex);
    if (file_ >= 0) ::close(file_);
  }
  RocksLog(const RocksLog&) = delete;
  RocksLog& operator=(const RocksLog&) = delete;

  rocksdb::InfoLogLevel GetInfoLogLevel() const override { return rocksdb::WARN_LEVEL; }
  using rocksdb::Logger::Logv;
  void LogHeader(const char*, std::va_list) override {}  // the options
  void Logv(const char* format, std::va_list arguments) override {
    const std::string line = time_of_day() + formatted(format, arguments) + "\n";
    const MutexLock lock(log_mutex);
    if (bytes_ + line.size() > kLogBytesMax) start_again();
    if (file_ >= 0 && ::write(file_, line.data(), line.size()) > 0) bytes_ += line.size();
  }

 private:
  void open() TAVOLA_REQUIRES(log_mutex) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly);
    struct stat status{};
    bytes_ = file_ >= 0 && ::fstat(file_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }
  void start_again() TAVOLA_REQUIRES(log_mutex) {
    if (file_ >= 0) ::close(file_);
    ::rename(path_.c_str(), (path_.string() + ".old").c_str());
    open();
  }

  const std::filesystem::path path_;
  int file_ TAVOLA_GUARDED_BY(log_mutex) = -1;  // -1: the file could not be opened
  std::size_t bytes_ TAVOLA_GUARDED_BY(log_mutex) = 0;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> open_rocks_log(const std::filesystem::path& directory) {
  return std::make_shared<RocksLog>(directory / "LOG");
}

}  // namespace tavola::store
