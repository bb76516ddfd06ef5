#include "base/digest.h"

#include <array>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/assert.h"

namespace tavola {
namespace {

constexpr std::size_t kSha256Bytes = 32;
constexpr std::size_t kMd5Bytes = 16;
constexpr std::size_t kSha1Bytes = 20;
constexpr std::size_t kBlockBytes = 64;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

const EVP_MD* fetch(const char* name) {
  const EVP_MD* const found = EVP_MD_fetch(nullptr, name, nullptr);
  TAVOLA_ASSERT(found != nullptr);
  return found;
}

std::string digest(const EVP_MD* algorithm, std::size_t bytes,
                   std::initializer_list<std::string_view> pieces) {
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> kept(EVP_MD_CTX_new());
  EVP_MD_CTX* context = kept.get();
  std::string result(bytes, '\0');
  bool ok = context != nullptr && EVP_DigestInit_ex2(context, algorithm, nullptr) == 1;
  for (const std::string_view piece : pieces)
    ok = ok && EVP_DigestUpdate(context, piece.data(), piece.size()) == 1;
  ok = ok && EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(result.data()), nullptr) == 1;
  TAVOLA_ASSERT(ok);  // a wrong digest would let strangers in
  return result;
}

}  // namespace

// Algorithms are looked up once: OpenSSL 3 takes longer to find one than to run it over a kilobyte.
std::string sha256(std::initializer_list<std::string_view> pieces) {
  static const EVP_MD* const algorithm = fetch("SHA256");
  return digest(algorithm, kSha256Bytes, pieces);
}

std::string md5(std::string_view text) {
  static const EVP_MD* const algorithm = fetch("MD5");
  return digest(algorithm, kMd5Bytes, {text});
}

std::string sha1(std::string_view text) {
  static const EVP_MD* const algorithm = fetch("SHA1");
  return digest(algorithm, kSha1Bytes, {text});
}

// RFC 2104.
std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string short_key;
  if (key.size() > kBlockBytes) {
    short_key = sha256({key});
    key = short_key;
  }
  std::array<char, kBlockBytes> inner;
  std::array<char, kBlockBytes> outer;
  inner.fill(0x36);
  outer.fill(0x5c);
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  const std::string inside = sha256({{inner.data(), inner.size()}, text});
  return sha256({{outer.data(), outer.size()}, inside});
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tavola
