// SHA-256, HMAC-SHA-256, MD5 and SHA-1.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tavola {

// Returns 32 bytes. Several pieces are hashed as if they were one text.
std::string sha256(std::initializer_list<std::string_view> pieces);
std::string hmac_sha256(std::string_view key, std::string_view text);

// Returns 16 bytes. MD5 is not secure: it is only for designs that build keys with it.
std::string md5(std::string_view text);

// Returns 20 bytes. SHA-1 is not secure: it is only for names that AWS's tools make with it.
std::string sha1(std::string_view text);

// Compares in constant time; only the lengths are not secret.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace tavola
