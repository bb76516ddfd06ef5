// gzip and zstd as streams. Both formats consist of concatenated parts; a file may have many.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "transfer/formats/file_kind.h"

namespace tavola::transfer {

class Compressor {
 public:
  virtual ~Compressor() = default;
  // Appends to `out`.
  virtual Result<void> add(std::string_view bytes, std::string& out) = 0;
  // Ends the part; further bytes begin another. Does nothing if nothing was added.
  virtual Result<void> end_part(std::string& out) = 0;
};
std::unique_ptr<Compressor> new_compressor(Compression compression);  // not None

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // Takes from the front of `bytes` and fills some of `into`; returns how much. The caller repeats the call until it
  // takes and fills nothing: then it needs more bytes. Fails with Validation if the bytes are not of its format.
  virtual Result<std::size_t> take(std::string_view& bytes, std::span<char> into) = 0;
  // Returns whether the input may end here.
  virtual bool is_between_parts() const = 0;
};
std::unique_ptr<Decompressor> new_decompressor(Compression compression);  // not None

// gzip.cc and zstd.cc
std::unique_ptr<Compressor> new_gzip_compressor();
std::unique_ptr<Compressor> new_zstd_compressor();
std::unique_ptr<Decompressor> new_gzip_decompressor();
std::unique_ptr<Decompressor> new_zstd_decompressor();

}  // namespace tavola::transfer
