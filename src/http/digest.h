// SHA-256 and HMAC-SHA-256.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tavola::http {

// 32 bytes. Of several pieces: as if they were one text.
std::string sha256(std::initializer_list<std::string_view> pieces);
std::string hmac_sha256(std::string_view key, std::string_view text);

// Takes the same time wherever they differ; the lengths are no secret.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace tavola::http
