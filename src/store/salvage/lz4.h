// Decompresses LZ4 blocks without knowing where they end, which LZ4's own library cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::store {

struct Decompressed {
  std::string bytes;
  std::size_t read;  // how many compressed bytes they took
};

// Decompresses from the beginning of `compressed` until exactly `bytes` came out. Returns nothing when no LZ4 block of this size
// begins there.
std::optional<Decompressed> decompress_lz4(std::string_view compressed, std::size_t bytes);

}  // namespace tavola::store
