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

// Returns the `kid` in the header of a token, whose signature is not verified; nullopt if it has none.
std::optional<std::string> key_id_of(std::string_view token);

// Thread safety: all methods.
class TokenVerifier {
 public:
  struct Parts {
    std::string secret = {};           // empty: no HS256
    std::vector<PublicKey> keys = {};  // empty: neither RS256 nor ES256
    std::string issuer = {};           // `iss` must be this unless empty
    std::string audience = {};         // `aud` must be or contain this; without `aud`, `client_id` counts
    std::string groups_claim =
        {};  // the claim with the groups; empty: `groups` and Cognito's `cognito:groups`
  };
  // Fails with Validation if there is neither a key nor a secret, or if the secret is too short.
  static Result<TokenVerifier> make(Parts parts);

  // Returns the claims of a token with a valid signature. Fails with InvalidSignature.
  Result<Map> claims(std::string_view token) const;
  // Returns them if the token is valid now (`exp`, `nbf`), and of the issuer and for the audience of the parts. Fails with InvalidSignature.
  Result<Map> valid_claims(std::string_view token, WallTime now) const;
  // Returns the person of valid claims: `sub`, with the groups. Fails with InvalidSignature.
  Result<design::Identity> verify(std::string_view token, WallTime now) const;

 private:
  explicit TokenVerifier(Parts parts) : parts_(std::move(parts)) {}
  bool is_signed(const Map& header, std::string_view text, std::string_view signature) const;

  Parts parts_;
};

// Returns the person of claims that were verified; `groups_claim` as in TokenVerifier::Parts. Fails with InvalidSignature.
Result<design::Identity> identity_in(const Map& claims, const std::string& groups_claim = {});

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
