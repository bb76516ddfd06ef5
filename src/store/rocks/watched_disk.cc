#include "store/rocks/watched_disk.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include <rocksdb/file_system.h>

#include "base/files.h"
#include "store/crc32c.h"
#include "store/rocks/synced_files.h"

namespace tavola::store {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

std::string_view bytes_of(const Slice& slice) { return {slice.data(), slice.size()}; }

// A write-ahead log.
class WatchedLog final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedLog(std::unique_ptr<rocksdb::FSWritableFile> file, std::uint64_t number, SyncedFiles& synced)
      : FSWritableFileOwnerWrapper(std::move(file)), number_(number), synced_(synced) {
    synced_.log_began(number_);
  }

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return noted(data, target()->Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& checksum,
                  IODebugContext* debug) override {
    return noted(data, target()->Append(data, options, checksum, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const std::uint64_t end = synced_.log_end(number_);
    return synced_up_to(end, target()->Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const std::uint64_t end = synced_.log_end(number_);
    return synced_up_to(end, target()->Fsync(options, debug));
  }

 private:
  IOStatus noted(const Slice& data, IOStatus status) {
    status.ok() ? synced_.log_appended(number_, bytes_of(data)) : synced_.log_failed(number_);
    return status;
  }
  IOStatus synced_up_to(std::uint64_t end, IOStatus status) {
    if (status.ok()) synced_.log_synced(number_, end);
    return status;
  }

  const std::uint64_t number_;
  SyncedFiles& synced_;
};

// A second handle on a log, with which LogSync syncs it.
class WatchedLogHandle final : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  WatchedLogHandle(std::unique_ptr<rocksdb::FSRandomRWFile> file, std::uint64_t number, SyncedFiles& synced)
      : FSRandomRWFileOwnerWrapper(std::move(file)), number_(number), synced_(synced) {}

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const std::uint64_t end = synced_.log_end(number_);
    IOStatus status = target()->Sync(options, debug);
    if (status.ok()) synced_.log_synced(number_, end);
    return status;
  }

 private:
  const std::uint64_t number_;
  SyncedFiles& synced_;
};

// RocksDB deletes files that a manifest no longer names only after the manifest's sync has returned.
class WatchedManifest final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedManifest(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, SyncedFiles& synced)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), synced_(synced) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return noted(data, target()->Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& checksum,
                  IODebugContext* debug) override {
    return noted(data, target()->Append(data, options, checksum, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return after_sync(target()->Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return after_sync(target()->Fsync(options, debug));
  }

 private:
  IOStatus noted(const Slice& data, IOStatus status) {
    has_failed_ = has_failed_ || !status.ok();
    if (has_failed_) return status;
    written_.bytes += data.size();
    written_.checksum = crc32c(bytes_of(data), written_.checksum);
    return status;
  }
  IOStatus after_sync(IOStatus status) {
    if (status.ok() && !has_failed_) synced_.manifest_synced(name_, written_);
    return status;
  }

  const std::string name_;
  SyncedFiles& synced_;
  SyncedFacts::Manifest written_;
  bool has_failed_ = false;  // its end is unknown
};

class WatchedDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  WatchedDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, SyncedFiles& synced)
      : FSDirectoryWrapper(std::move(directory)), synced_(synced) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const SyncedFiles::Names names = synced_.names();
    return noted(names, FSDirectoryWrapper::Fsync(options, debug));
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& why) override {
    const SyncedFiles::Names names = synced_.names();
    return noted(names, FSDirectoryWrapper::FsyncWithDirOptions(options, debug, why));
  }

 private:
  IOStatus noted(const SyncedFiles::Names& names, IOStatus status) {
    if (status.ok()) synced_.names_synced(names);
    return status;
  }

  SyncedFiles& synced_;
};

class WatchedDisk final : public rocksdb::FileSystemWrapper {
 public:
  WatchedDisk(const std::shared_ptr<rocksdb::FileSystem>& base, const std::filesystem::path& directory,
              SyncedFiles& synced)
      : FileSystemWrapper(base), prefix_(directory.string() + "/"), synced_(synced) {}
  const char* Name() const override { return "TavolaWatchedDisk"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result, IODebugContext* debug) override {
    create_for_owner(path);
    IOStatus status = target()->NewWritableFile(path, options, result, debug);
    if (!status.ok()) return status;
    const std::string_view name = name_of(path);
    if (name.ends_with(".log")) {
      *result = std::make_unique<WatchedLog>(std::move(*result), log_number(name), synced_);
    } else if (name.starts_with("MANIFEST-")) {
      *result = std::make_unique<WatchedManifest>(std::move(*result), std::string(name), synced_);
    }
    return status;
  }
  IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* result, IODebugContext* debug) override {
    IOStatus status = target()->NewRandomRWFile(path, options, result, debug);
    const std::string_view name = name_of(path);
    if (status.ok() && name.ends_with(".log")) {
      *result = std::make_unique<WatchedLogHandle>(std::move(*result), log_number(name), synced_);
    }
    return status;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* result, IODebugContext* debug) override {
    IOStatus status = target()->NewDirectory(path, options, result, debug);
    const bool is_ours = path == prefix_ || path + "/" == prefix_;
    if (status.ok() && is_ours) *result = std::make_unique<WatchedDirectory>(std::move(*result), synced_);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    IOStatus status = target()->RenameFile(from, to, options, debug);
    if (status.ok() && name_of(to) == "CURRENT") synced_.current_renamed();
    return status;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    const std::string_view name = name_of(path);
    if (name.ends_with(".log")) synced_.log_gone(log_number(name));
    return target()->DeleteFile(path, options, debug);
  }
  IOStatus LockFile(const std::string& path, const IOOptions& options, rocksdb::FileLock** lock,
                    IODebugContext* debug) override {
    create_for_owner(path);
    return target()->LockFile(path, options, lock, debug);
  }
  IOStatus CreateDir(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    if (::mkdir(path.c_str(), S_IRWXU) == 0) return IOStatus::OK();
    return target()->CreateDir(path, options, debug);
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& options,
                              IODebugContext* debug) override {
    if (::mkdir(path.c_str(), S_IRWXU) == 0) return IOStatus::OK();
    return target()->CreateDirIfMissing(path, options, debug);
  }

 private:
  // RocksDB creates files readable by everybody; an existing file keeps its mode.
  static void create_for_owner(const std::string& path) {
    const File file(path, O_WRONLY | O_CREAT, kOwnerOnly);
  }

  // Returns the name of a file of the store itself; empty for others (a checkpoint's).
  std::string_view name_of(const std::string& path) const {
    if (!path.starts_with(prefix_)) return {};
    std::string_view name = std::string_view(path).substr(prefix_.size());
    while (name.starts_with('/')) name.remove_prefix(1);
    return name.find('/') == std::string_view::npos ? name : std::string_view();
  }

  const std::string prefix_;
  SyncedFiles& synced_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> watch_disk(const std::shared_ptr<rocksdb::FileSystem>& base,
                                                const std::filesystem::path& directory, SyncedFiles& synced) {
  return std::make_shared<WatchedDisk>(base ? base : rocksdb::FileSystem::Default(), directory, synced);
}

}  // namespace tavola::store
