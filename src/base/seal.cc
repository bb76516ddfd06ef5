#include "base/seal.h"

#include <memory>
#include <openssl/evp.h>

#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"

namespace tavola {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string key_of(std::string_view secret) { return sha256({"tavola seal", secret}); }

int length(std::string_view text) { return static_cast<int>(text.size()); }

}  // namespace

std::string seal(std::string_view secret, std::string_view text, std::string_view context) {
  const std::string key = key_of(secret);
  // The nonce is derived from the sealed text: equal texts give equal seals, which reveals only that they are equal.
  std::string out = hmac_sha256(key, std::string(context) + '\0' + std::string(text)).substr(0, kNonceBytes);
  std::string sealed(text.size(), '\0');
  std::string tag(kTagBytes, '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  int more = 0;
  const bool ok = cipher &&
                  EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key), bytes(out)) == 1 &&
                  EVP_EncryptUpdate(cipher.get(), nullptr, &written, bytes(context), length(context)) == 1 &&
                  EVP_EncryptUpdate(cipher.get(), bytes(sealed), &written, bytes(text), length(text)) == 1 &&
                  EVP_EncryptFinal_ex(cipher.get(), bytes(sealed) + written, &more) == 1 &&
                  EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  TAVOLA_ASSERT(ok);  // fails only without memory
  return to_base64url(out + sealed + tag);
}

std::optional<std::string> unseal(std::string_view secret, std::string_view sealed,
                                  std::string_view context) {
  std::optional<std::string> raw = from_base64url(sealed);
  if (!raw || raw->size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string key = key_of(secret);
  std::string tag = raw->substr(raw->size() - kTagBytes);
  const std::string nonce = raw->substr(0, kNonceBytes);
  const std::string body = raw->substr(kNonceBytes, raw->size() - kNonceBytes - kTagBytes);
  std::string text(body.size(), '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  int more = 0;
  const bool ok =
      cipher && EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key), bytes(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &written, bytes(context), length(context)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), bytes(text), &written, bytes(body), length(body)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes(text) + written, &more) == 1;
  if (!ok) return std::nullopt;
  return text;
}

}  // namespace tavola
