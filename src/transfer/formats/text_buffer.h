// The text of a source, taken from its front: the input of the readers of lines and CSV.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "transfer/formats/byte_stream.h"

namespace tavola::transfer {

class TextBuffer {
 public:
  explicit TextBuffer(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // Returns the buffered text that is not taken yet.
  std::string_view text() const { return std::string_view(buffer_).substr(at_); }
  // Reads more after it; returns false at the end of the source.
  Result<bool> more();
  void take(std::size_t bytes) {
    at_ += bytes;
    taken_ += bytes;
  }
  std::uint64_t taken_bytes() const { return taken_; }
  std::uint64_t file_bytes() const { return source_->file_bytes(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;
  bool is_begun_ = false;
  bool is_at_end_ = false;
};

}  // namespace tavola::transfer
