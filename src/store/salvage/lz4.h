// Decompresses LZ4 blocks of unknown length, which LZ4's own library cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::store {

struct Decompressed {
  std::string bytes;
  std::size_t read;  // number of compressed bytes read
};

// Decompresses from the start of `compressed` until exactly `bytes` came out. Returns nullopt if no LZ4 block of this
// size is there.
std::optional<Decompressed> decompress_lz4(std::string_view compressed, std::size_t bytes);

}  // namespace tavola::store
