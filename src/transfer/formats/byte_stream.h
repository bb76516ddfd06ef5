// Bytes from and to files, compressed or not, a piece at a time: a file of any size takes the same memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include <tavola/error.h>

#include "transfer/formats/file_kind.h"

namespace tavola::transfer {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills some of `into`, which is not empty; how much. 0: the end. Fails with Io when the file cannot be read, or with
  // Validation when it is not compressed as it was said to be, or cut.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // How much of the file itself was read: for progress.
  virtual std::uint64_t file_bytes() const = 0;
};

// "-" is standard input.
Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path, Compression compression);
// Bytes in memory, which must outlive it.
std::unique_ptr<ByteSource> source_of(std::string_view bytes, Compression compression = Compression::None);

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> write(std::string_view bytes) = 0;
  // Ends what is written so far, so that the file as it is now is whole (compressed data consists of parts, which may be
  // joined), and stays when the machine stops. How long the file is then.
  virtual Result<std::uint64_t> settle() = 0;
};

// Appends to the file behind its first `from` bytes, and forgets what is behind them. "-" is standard output.
Result<std::unique_ptr<ByteSink>> open_sink(const std::filesystem::path& path, Compression compression,
                                            std::uint64_t from = 0);

}  // namespace tavola::transfer
