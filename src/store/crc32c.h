// CRC-32C (Castagnoli), as RocksDB's logs have it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tavola::store {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace tavola::store
