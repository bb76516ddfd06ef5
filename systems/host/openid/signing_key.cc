#include "systems/host/openid/signing_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/assert.h"
#include "base/encoding.h"

namespace tavola::systems {
namespace {

constexpr unsigned kRsaBits = 2048;

struct BigDeleter {
  void operator()(BIGNUM* number) const { BN_free(number); }
};
struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

std::string number_of(const EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  TAVOLA_ASSERT(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const std::unique_ptr<BIGNUM, BigDeleter> owner(number);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes;
}

std::string signature_of(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, DigestDeleter> context(EVP_MD_CTX_new());
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  TAVOLA_ASSERT(context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
                EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1);
  std::string signature(size, '\0');
  TAVOLA_ASSERT(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                               bytes, text.size()) == 1);
  signature.resize(size);
  return signature;
}

}  // namespace

Result<SigningKey> SigningKey::make(std::string id) {
  EVP_PKEY* const key = EVP_RSA_gen(kRsaBits);
  if (key == nullptr) return fail(Error::internal("OpenSSL could not make a key"));
  return SigningKey(std::move(id), std::shared_ptr<EVP_PKEY>(key, [](EVP_PKEY* one) { EVP_PKEY_free(one); }));
}

std::string SigningKey::sign(std::string_view claims) const {
  std::string header;
  json::Writer json(header);
  json.begin_object();
  json.name("alg").text("RS256");
  json.name("typ").text("JWT");
  json.name("kid").text(id_);
  json.end_object();
  const std::string text = to_base64url(header) + "." + to_base64url(claims);
  return text + "." + to_base64url(signature_of(key_.get(), text));
}

void SigningKey::write_jwk(json::Writer& json) const {
  json.begin_object();
  json.name("kty").text("RSA");
  json.name("use").text("sig");
  json.name("alg").text("RS256");
  json.name("kid").text(id_);
  json.name("n").text(to_base64url(number_of(key_.get(), OSSL_PKEY_PARAM_RSA_N)));
  json.name("e").text(to_base64url(number_of(key_.get(), OSSL_PKEY_PARAM_RSA_E)));
  json.end_object();
}

}  // namespace tavola::systems
