// Bytes from and to files, compressed or not, a piece at a time: memory does not depend on the size of the
// file.
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
  // Fills some of `into`, which is not empty; returns how much. 0: the end. Fails with Io if the file cannot be read,
  // or with Validation if it is not compressed as declared, or truncated.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // Returns how much of the file itself was read, for progress.
  virtual std::uint64_t file_bytes() const = 0;
};

// "-" is standard input.
Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path, Compression compression);
// Reads bytes in memory, which must outlive it.
std::unique_ptr<ByteSource> source_of(std::string_view bytes, Compression compression = Compression::None);

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> write(std::string_view bytes) = 0;
  // Completes the file so far, so that it is valid (compressed data consists of parts, which may be joined) and
  // durable. Returns the length of the file then.
  virtual Result<std::uint64_t> settle() = 0;
};

// Appends to the file after its first `from` bytes, and truncates the rest. "-" is standard output.
Result<std::unique_ptr<ByteSink>> open_sink(const std::filesystem::path& path, Compression compression,
                                            std::uint64_t from = 0);

}  // namespace tavola::transfer
