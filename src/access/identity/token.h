// Tokens that identify the caller: JSON Web Tokens (RFC 7519), as Cognito and others issue them.
//
//   base64url({"alg": "HS256"}) . base64url({"sub": "anna", "groups": ["manager"], "exp": 1767225600}) . base64url(signature)
//
// HS256 with a secret, RS256 and ES256 with the public keys of an issuer. A secret is never used as a public key or the
// other way around, and an unsigned token identifies nobody.
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

// Returns the token of "Authorization: Bearer TOKEN"; nullopt if the request has no such header.
std::optional<std::string_view> bearer_of(const http::Request& request);

// Thread safety: all methods.
class TokenVerifier {
 public:
  struct Parts {
    std::string secret = {};           // empty: no HS256
    std::vector<PublicKey> keys = {};  // empty: neither RS256 nor ES256
    std::string issuer = {};           // `iss` must be this unless empty
    std::string audience = {};         // `aud` must be or contain this; without `aud`, `client_id` counts
  };
  // Fails with Validation if there is neither a key nor a secret, or if the secret is too short.
  static Result<TokenVerifier> make(Parts parts);

  // Returns the claims of a token with a valid signature. Fails with InvalidSignature.
  Result<Map> claims(std::string_view token) const;
  // Returns the person: `sub`, with `groups` or Cognito's `cognito:groups`. Fails with InvalidSignature, also if the
  // token is not or no longer valid (`exp`, `nbf`), or is meant for another server.
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
// Signs a development token with HS256.
std::string sign_token(std::string_view secret, const NewToken& token);

}  // namespace tavola::access
