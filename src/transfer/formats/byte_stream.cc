#include "transfer/formats/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files.h"
#include "transfer/formats/compression.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStreamPieceBytes = std::size_t{256} * 1024;

Error cut() {
  return Error::validation(
      "the file ends in the middle of its compressed data: it is truncated; fetch it again");
}

// A descriptor, closed at the end unless it is a standard one.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

class FileSource final : public ByteSource {
 public:
  FileSource(fs::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_.get(), into.data(), into.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("read", path_, errno));
      bytes_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }
  std::uint64_t file_bytes() const override { return bytes_; }

 private:
  const fs::path path_;
  const Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), rest_(bytes) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), rest_.size());
    std::memcpy(into.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }
  std::uint64_t file_bytes() const override { return bytes_.size() - rest_.size(); }

 private:
  const std::string_view bytes_;
  std::string_view rest_;
};

class DecompressedSource final : public ByteSource {
 public:
  DecompressedSource(std::unique_ptr<ByteSource> source, Compression compression)
      : source_(std::move(source)),
        decompressor_(new_decompressor(compression)),
        piece_(kStreamPieceBytes, '\0') {}

  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      const std::size_t had = rest_.size();
      TAVOLA_TRY(const std::size_t got, decompressor_->take(rest_, into));
      if (got > 0) return got;
      if (rest_.size() < had) continue;  // a header, or the end of a part
      if (is_at_end_) {
        if (!decompressor_->is_between_parts()) return fail(cut());
        return 0;
      }
      TAVOLA_TRY(const std::size_t more, source_->read(piece_));
      is_at_end_ = more == 0;
      rest_ = std::string_view(piece_).substr(0, more);
    }
  }
  std::uint64_t file_bytes() const override { return source_->file_bytes(); }

 private:
  const std::unique_ptr<ByteSource> source_;
  const std::unique_ptr<Decompressor> decompressor_;
  std::string piece_;
  std::string_view rest_;
  bool is_at_end_ = false;
};

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, Compression compression) {
  if (compression == Compression::None) return source;
  return std::make_unique<DecompressedSource>(std::move(source), compression);
}

class FileSink final : public ByteSink {
 public:
  FileSink(fs::path path, Descriptor descriptor, Compression compression, std::uint64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {
    if (compression != Compression::None) compressor_ = new_compressor(compression);
  }

  Result<void> write(std::string_view bytes) override {
    if (compressor_ == nullptr) {
      waiting_ += bytes;
    } else {
      TAVOLA_CHECK(compressor_->add(bytes, waiting_));
    }
    if (waiting_.size() < kStreamPieceBytes) return {};
    return flush();
  }
  Result<std::uint64_t> settle() override {
    if (compressor_ != nullptr) TAVOLA_CHECK(compressor_->end_part(waiting_));
    TAVOLA_CHECK(flush());
    // A pipe cannot be synced.
    if (fdatasync(descriptor_.get()) != 0 && errno != EINVAL && errno != EROFS) {
      return fail(system_error("sync", path_, errno));
    }
    return size_;
  }

 private:
  Result<void> flush() {
    std::string_view rest = waiting_;
    while (!rest.empty()) {
      const ssize_t written = ::write(descriptor_.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return fail(system_error("write", path_, errno));
      rest.remove_prefix(static_cast<std::size_t>(written));
      size_ += static_cast<std::uint64_t>(written);
    }
    waiting_.clear();
    return {};
  }

  const fs::path path_;
  const Descriptor descriptor_;
  std::unique_ptr<Compressor> compressor_;
  std::string waiting_;
  std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const fs::path& path, Compression compression) {
  Descriptor descriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return fail(system_error("read", path, errno));
  struct stat about{};
  if (fstat(descriptor.get(), &about) == 0 && S_ISDIR(about.st_mode)) {
    return fail(system_error("read", path, EISDIR));
  }
  return decompressed(std::make_unique<FileSource>(path, std::move(descriptor)), compression);
}

std::unique_ptr<ByteSource> source_of(std::string_view bytes, Compression compression) {
  return decompressed(std::make_unique<MemorySource>(bytes), compression);
}

Result<std::unique_ptr<ByteSink>> open_sink(const fs::path& path, Compression compression,
                                            std::uint64_t from) {
  const bool is_standard = path == "-";
  constexpr mode_t kMode = 0666;
  Descriptor descriptor(is_standard ? STDOUT_FILENO
                                    : ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (descriptor.get() < 0) return fail(system_error("write", path, errno));
  if (!is_standard) {
    const auto size = static_cast<off_t>(from);
    if (ftruncate(descriptor.get(), size) != 0 || lseek(descriptor.get(), size, SEEK_SET) != size) {
      return fail(system_error("write", path, errno));
    }
  }
  return std::make_unique<FileSink>(path, std::move(descriptor), compression, from);
}

}  // namespace tavola::transfer
