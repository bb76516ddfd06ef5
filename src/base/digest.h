// SHA-256, HMAC-SHA-256 and MD5.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tavola {

// 32 bytes. Of several pieces: as if they were one text.
std::string sha256(std::initializer_list<std::string_view> pieces);
std::string hmac_sha256(std::string_view key, std::string_view text);

// 16 bytes. No protection against anybody: for designs whose keys are made of it.
std::string md5(std::string_view text);

// Takes the same time wherever they differ; the lengths are no secret.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace tavola
