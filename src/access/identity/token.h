// Tokens that tell who asks: JSON Web Tokens (RFC 7519), as Cognito and others issue them.
//
//   base64url({"alg": "HS256"}) . base64url({"sub": "anna", "groups": ["manager"], "exp": 1767225600}) . base64url(signature)
//
// HS256 with a secret, RS256 and ES256 with the public keys of an issuer. A secret is never used as a public key or the
// other way around, and what is not signed is nobody's.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "access/identity/public_key.h"
#include "base/clock.h"
#include "design/roles/access.h"
#include "http/message.h"

namespace tavola::access {

inline constexpr std::size_t kSecretBytesMin = 32;       // RFC 7518, section 3.2
inline constexpr std::chrono::seconds kClockLeeway{60};  // how far the clocks of issuer and server may differ

// The token of "Authorization: Bearer TOKEN"; nothing when the request has no such header.
std::optional<std::string_view> bearer_of(const http::Request& request);

// Thread safety: all methods.
class TokenVerifier {
 public:
  struct Parts {
    std::string secret = {};           // empty: no HS256
    std::vector<PublicKey> keys = {};  // empty: neither RS256 nor ES256
    std::string issuer = {};           // `iss` must be this, when it is not empty
    std::string audience = {};  // `aud` must be or hold this; a token without one may have it as `client_id`
  };
  // Fails with Validation when there is nothing to verify with, or the secret is too short to be one.
  static Result<TokenVerifier> make(Parts parts);

  // What a token with a right signature says. Fails with InvalidSignature.
  Result<Map> claims(std::string_view token) const;
  // Whom it is for: `sub`, with `groups` or Cognito's `cognito:groups`. Fails with InvalidSignature, also when it is not
  // or no longer valid (`exp`, `nbf`), or is not meant for this server.
  Result<design::Identity> verify(std::string_view token, WallTime now) const;

 private:
  explicit TokenVerifier(Parts parts) : parts_(std::move(parts)) {}
  bool is_signed(const Map& header, std::string_view text, std::string_view signature) const;

  Parts parts_;
};

struct NewToken {
  std::string sub;
  std::vector<std::string> groups = {};
  std::string issuer = {};
  std::string audience = {};
  WallTime issued{};
  std::chrono::seconds valid_for{};
};
// A token of our own, for development: HS256.
std::string sign_token(std::string_view secret, const NewToken& token);

}  // namespace tavola::access
