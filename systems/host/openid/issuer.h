// An OpenID provider as its relying party sees it: its metadata, its keys, and tokens for codes. Metadata and keys are asked for when they are
// needed, and kept as long as the issuer allows.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "access/identity/sessions.h"
#include "access/identity/token.h"
#include "base/clock.h"
#include "base/locks.h"
#include "remote/http_client.h"

namespace tavola::systems {

// The issuer's description of itself (OpenID Connect Discovery, section 3).
struct IssuerMetadata {
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::string end_session_endpoint;  // empty: none
  bool takes_basic = true;           // the client's secret in the Authorization header, or else in the form
  bool names_itself = false;         // its answers have `iss` (RFC 9207)
};

// Thread safety: all methods. They wait for the issuer.
class Issuer {
 public:
  struct Parts {
    std::string url;
    std::string client_id;
    std::string client_secret = {};  // empty: a public client
    std::string groups_claim = {};   // empty: `groups` and `cognito:groups`
    std::string ca_bundle = {};      // further certificates; empty: those of the machine
    const Clock& clock = Clock::system();
  };
  explicit Issuer(Parts parts);

  const Parts& parts() const { return parts_; }
  Result<IssuerMetadata> metadata();

  struct Exchange {
    std::string_view code;
    std::string_view redirect_uri;  // the same as before
    std::string_view verifier;
  };
  // Returns the ID token for a code. Fails with Io if the issuer does not answer, else with Validation.
  Result<std::string> id_token_for(const Exchange& exchange);
  // Returns the claims of an ID token for this client that is valid now and has this nonce. A key that is not known yet is asked for.
  Result<Map> claims_of(std::string_view id_token, std::string_view nonce);

  // Returns whether the text can be an issuer: https, or http on this machine; without query and fragment.
  static Result<void> check_url(const std::string& url);

 private:
  struct Keys {
    std::shared_ptr<const access::TokenVerifier> verifier;
    std::vector<std::string> ids;
    WallTime until;
  };
  Result<remote::HttpAnswer> get(const std::string& url);
  Result<Keys> load_keys();
  // Returns the keys with which a token of this `kid` may be signed.
  Result<std::shared_ptr<const access::TokenVerifier>> keys_for(const std::optional<std::string>& id);

  const Parts parts_;
  remote::HttpClient client_;
  access::AttemptLimit reloads_;  // because of unknown keys, which anybody can make up
  Mutex mutex_;
  std::optional<IssuerMetadata> metadata_ TAVOLA_GUARDED_BY(mutex_);
  WallTime metadata_until_ TAVOLA_GUARDED_BY(mutex_);
  Keys keys_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::systems
