// A private RSA key that signs tokens with RS256 (RFC 7518, section 3.3), and its public half as a JWK.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "json/writer.h"

struct evp_pkey_st;  // OpenSSL's

namespace tavola::systems {

// Thread safety: all methods. Copies share the key.
class SigningKey {
 public:
  // Makes a new key of 2048 bits.
  static Result<SigningKey> make(std::string id);

  const std::string& id() const { return id_; }  // `kid`
  // Returns a token with these claims, a JSON object.
  std::string sign(std::string_view claims) const;
  void write_jwk(json::Writer& json) const;

 private:
  SigningKey(std::string id, std::shared_ptr<evp_pkey_st> key) : id_(std::move(id)), key_(std::move(key)) {}

  std::string id_;
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace tavola::systems
