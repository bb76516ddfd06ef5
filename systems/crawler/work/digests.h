// SHA-256 and HMAC, in hexadecimal.
#pragma once

#include <string>
#include <string_view>

namespace crawler {

std::string sha256_hex(std::string_view text);
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

}  // namespace crawler
