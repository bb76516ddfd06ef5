#include "store/rocks/passing_errors.h"

#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/file_system.h>

namespace tavola::store {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class PassingErrors final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "PassingErrors"; }

  IOStatus NewSequentialFile(const std::string& name, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* debug) override {
    return marked(FileSystemWrapper::NewSequentialFile(name, options, file, debug));
  }
  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return marked(FileSystemWrapper::NewRandomAccessFile(name, options, file, debug));
  }
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return marked(FileSystemWrapper::NewWritableFile(name, options, file, debug));
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return marked(FileSystemWrapper::ReopenWritableFile(name, options, file, debug));
  }
  IOStatus NewRandomRWFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    return marked(FileSystemWrapper::NewRandomRWFile(name, options, file, debug));
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) override {
    return marked(FileSystemWrapper::NewDirectory(name, options, directory, debug));
  }

 private:
  static IOStatus marked(IOStatus status) {
    if (is_out_of_descriptors(status)) status.SetRetryable(true);
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> with_passing_errors(const std::shared_ptr<rocksdb::FileSystem>& files) {
  return std::make_shared<PassingErrors>(files);
}

// RocksDB keeps no error number, only the text of strerror: that of ENFILE begins with that of EMFILE. A write that
// waited for a failed flush gets Incomplete.
bool is_out_of_descriptors(const rocksdb::Status& status) {
  if (!status.IsIOError() && !status.IsIncomplete()) return false;
  constexpr std::string_view kWords = "Too many open files";
  return status.ToString().find(kWords) != std::string::npos;
}

}  // namespace tavola::store
