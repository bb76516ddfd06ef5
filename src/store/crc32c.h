// CRC-32C (Castagnoli), as in RocksDB's logs.
#pragma once

#include <cstdint>
#include <string_view>

namespace tavola::store {

// `before` is the checksum of the preceding bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace tavola::store
