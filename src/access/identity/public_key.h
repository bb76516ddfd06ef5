// Public keys of token issuers, read from a JWKS file (RFC 7517): RSA keys for RS256, P-256 keys for ES256.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

struct evp_pkey_st;  // OpenSSL's

namespace tavola::access {

// Thread safety: all methods. A key works with one algorithm only, whatever a token says.
class PublicKey {
 public:
  // Fails with Validation if it is not such a key, or too weak.
  static Result<PublicKey> from_jwk(const Map& jwk);

  const std::string& id() const { return id_; }              // `kid`; may be empty
  std::string_view algorithm() const { return algorithm_; }  // "RS256", "ES256"
  bool verifies(std::string_view text, std::string_view signature) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  using Key = std::unique_ptr<evp_pkey_st, Free>;
  PublicKey(std::string id, std::string_view algorithm, Key key)
      : id_(std::move(id)), algorithm_(algorithm), key_(std::move(key)) {}
  static Result<Key> rsa_key(const Map& jwk);
  static Result<Key> ec_key(const Map& jwk);

  std::string id_;
  std::string_view algorithm_;
  std::shared_ptr<evp_pkey_st> key_;  // copies share it
};

// Keys for signatures of other algorithms, or that are wrong: a mistake in a file, but nothing unusual in what an issuer publishes.
enum class OtherKeys : std::uint8_t { Refuse, Skip };

// Returns the signature keys of a JWKS document, {"keys": […]}, and skips those for encryption. Fails with Validation if it is not
// such a document, if a key is refused, or if no key is left.
Result<std::vector<PublicKey>> read_jwks(std::string_view document, OtherKeys others = OtherKeys::Refuse);

}  // namespace tavola::access
