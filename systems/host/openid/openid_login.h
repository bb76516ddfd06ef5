// Logs people in by OpenID Connect: the authorization code flow with PKCE, against any issuer.
//
//   GET /login/oidc?to=/products   → the issuer, with state, nonce and the hash of a secret
//   GET /login/oidc/callback       ← the issuer, with a code; the program gets the ID token for it and checks it
//
// State, nonce and secret stay here; the browser has a cookie that proves that the login was begun in it. The cookie is SameSite=Lax, because
// the issuer's page sends the browser back.
#pragma once

#include <string>

#include "base/random.h"
#include "systems/host/identity_provider.h"
#include "systems/host/openid/issuer.h"
#include "systems/host/openid/parameters.h"
#include "systems/host/openid/pending_logins.h"

namespace tavola::systems {

class OpenIdLogin : public IdentityProvider {
 public:
  struct Parts {
    Issuer::Parts issuer;
    std::string scopes = "openid";
    std::string program;  // "tavola-inventory": its cookies begin so
    std::string public_url =
        {};  // of the application, as issuer and people know it; empty: by the Host of a request
    bool is_secure = false;  // people use https
    std::string style = {};  // the style sheet of the pages that say why a login failed
    Random& random = Random::system();
  };
  explicit OpenIdLogin(Parts parts);

  std::string_view name() const override { return "oidc"; }
  void describe(json::Writer& json) const override;
  LoginStep answer(const http::Request& request) override;
  std::string end_address(const http::Request& request, const access::LoginOrigin& origin) override;

 private:
  LoginStep begin(const http::Request& request);
  LoginStep complete(const http::Request& request);
  Result<Login> person_for(const PendingLogin& login, std::string_view code);
  // Returns "https://app.example"; empty if the request does not say how it reached this server.
  std::string base_of(const http::Request& request) const;
  LoginStep refused(int status, std::string_view why) const;
  std::string cookie(std::string_view state, std::string_view value, std::string_view age) const;

  const Parts parts_;
  Issuer issuer_;
  PendingLogins pending_;
};

}  // namespace tavola::systems
