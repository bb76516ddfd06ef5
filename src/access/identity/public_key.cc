#include "access/identity/public_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <tuple>

#include "base/encoding.h"
#include "design/model/plain_json.h"

namespace tavola::access {
namespace {

constexpr std::string_view kRs256 = "RS256";
constexpr std::string_view kEs256 = "ES256";
constexpr std::size_t kEcBytes = 32;    // of a coordinate, and of each half of a signature
constexpr int kRsaBitsMin = 2048;       // RFC 7518, section 3.3
constexpr int kRsaBitsMax = 16 * 1024;  // larger keys take seconds to verify

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const noexcept {
    Free(pointer);
  }
};
using Big = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Deleter<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Deleter<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Deleter<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>>;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Big big(std::string_view number) {
  return Big(BN_bin2bn(bytes(number), static_cast<int>(number.size()), nullptr));
}

std::string text_of(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found != map.end() && found->second.is_string() ? found->second.string() : std::string();
}

Result<std::string> bytes_of(const Map& jwk, std::string_view name) {
  const std::optional<std::string> found = from_base64url(text_of(jwk, name));
  if (!found || found->empty()) {
    return fail(Error::validation("`" + std::string(name) + "` of a key must be base64url"));
  }
  return *found;
}

// Returns the key of these numbers; null if they are not a key.
EVP_PKEY* build(const char* type, OSSL_PARAM_BLD* builder) {
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return nullptr;
  }
  return key;
}

bool is_valid(EVP_PKEY* key) {
  const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  return context && EVP_PKEY_public_check(context.get()) == 1;
}

// Converts both halves of a token's signature to ASN.1 for OpenSSL.
std::string to_asn1(std::string_view signature) {
  if (signature.size() != 2 * kEcBytes) return {};
  const EcSignature parts(ECDSA_SIG_new());
  Big r = big(signature.substr(0, kEcBytes));
  Big s = big(signature.substr(kEcBytes));
  if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.get(), s.get()) != 1) return {};
  std::ignore = r.release();  // the signature owns them now
  std::ignore = s.release();
  unsigned char* encoded = nullptr;
  const int length = i2d_ECDSA_SIG(parts.get(), &encoded);
  if (length <= 0) return {};
  std::string text(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(length));
  OPENSSL_free(encoded);
  return text;
}

bool is_for_signatures(const Map& jwk) {
  const std::string use = text_of(jwk, "use");
  const std::string type = text_of(jwk, "kty");
  return (use.empty() || use == "sig") && (type == "RSA" || type == "EC");
}

}  // namespace

void PublicKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<PublicKey::Key> PublicKey::rsa_key(const Map& jwk) {
  TAVOLA_TRY(const std::string modulus, bytes_of(jwk, "n"));
  TAVOLA_TRY(const std::string exponent, bytes_of(jwk, "e"));
  const Big n = big(modulus);
  const Big e = big(exponent);
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return fail(Error::internal("out of memory for a key"));
  }
  Key key(build("RSA", builder.get()));
  if (!key) return fail(Error::validation("`n` and `e` are not an RSA key"));
  const int bits = EVP_PKEY_get_bits(key.get());
  if (bits < kRsaBitsMin || bits > kRsaBitsMax) {
    return fail(
        Error::validation("an RSA key must have 2048 to 16384 bits (has " + std::to_string(bits) + ")"));
  }
  return key;
}

Result<PublicKey::Key> PublicKey::ec_key(const Map& jwk) {
  TAVOLA_TRY(const std::string x, bytes_of(jwk, "x"));
  TAVOLA_TRY(const std::string y, bytes_of(jwk, "y"));
  if (text_of(jwk, "crv") != "P-256" || x.size() != kEcBytes || y.size() != kEcBytes) {
    return fail(Error::validation("an EC key must be of the curve P-256, with 32 bytes in `x` and in `y`"));
  }
  const std::string point = "\x04" + x + y;  // uncompressed
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) !=
          1) {
    return fail(Error::internal("out of memory for a key"));
  }
  Key key(build("EC", builder.get()));
  if (!key || !is_valid(key.get())) return fail(Error::validation("`x` and `y` are not a point of P-256"));
  return key;
}

Result<PublicKey> PublicKey::from_jwk(const Map& jwk) {
  const bool is_rsa = text_of(jwk, "kty") == "RSA";
  const std::string_view algorithm = is_rsa ? kRs256 : kEs256;
  const std::string said = text_of(jwk, "alg");
  if (!said.empty() && said != algorithm) {
    return fail(Error::validation("a key is for " + said + ", and only RS256 and ES256 are supported"));
  }
  TAVOLA_TRY(Key key, is_rsa ? rsa_key(jwk) : ec_key(jwk));
  return PublicKey(text_of(jwk, "kid"), algorithm, std::move(key));
}

bool PublicKey::verifies(std::string_view text, std::string_view signature) const {
  const std::string given = algorithm_ == kEs256 ? to_asn1(signature) : std::string(signature);
  const DigestContext context(EVP_MD_CTX_new());
  return !given.empty() && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes(given), given.size(), bytes(text), text.size()) == 1;
}

Result<std::vector<PublicKey>> read_jwks(std::string_view document, OtherKeys others) {
  TAVOLA_TRY(const Value root, design::parse_plain_json(document));
  const auto keys = root.type() == Type::Map ? root.map().find("keys") : Map::const_iterator();
  if (root.type() != Type::Map || keys == root.map().end() || keys->second.type() != Type::List) {
    return fail(Error::validation("it is not a JWKS: {\"keys\": […]} is expected"));
  }
  std::vector<PublicKey> found;
  for (const Value& one : keys->second.list()) {
    if (one.type() != Type::Map || !is_for_signatures(one.map())) continue;
    Result<PublicKey> key = PublicKey::from_jwk(one.map());
    if (!key && others == OtherKeys::Skip) continue;
    if (!key) return fail(std::move(key).error());
    found.push_back(*std::move(key));
  }
  if (found.empty()) return fail(Error::validation("there is no RSA or EC key for signatures in it"));
  return found;
}

}  // namespace tavola::access
