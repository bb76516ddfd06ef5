#include "work/digests.h"

#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <span>

namespace crawler {
namespace {

std::string in_hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 15U];
  }
  return out;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(bytes_of(text), text.size(), digest.data());
  return in_hexadecimal(digest);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), digest.data(),
       &size);
  return in_hexadecimal(digest);
}

std::string id_of_change(const ChangeOfProduct& change) {
  std::string text;
  for (const std::string_view part : {change.url, change.before, change.after, change.since})
    text.append(part).append("\n");
  return sha256_hex(text).substr(0, 32);
}

}  // namespace crawler
