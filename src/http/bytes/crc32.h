// CRC-32 as in gzip, for x-amz-crc32.
#pragma once

#include <cstdint>
#include <string_view>

namespace tavola::http {

std::uint32_t crc32(std::string_view bytes);

}  // namespace tavola::http
