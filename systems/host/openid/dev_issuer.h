// An OpenID provider for development: it asks who somebody is, and believes it. It is a server of its own on a free port of this machine.
//
//   GET  /.well-known/openid-configuration, /jwks
//   GET  /authorize            asks who logs in;  POST sends the browser back with a code
//   POST /token                an ID token and an access token for a code and the secret of PKCE, signed with RS256
//   GET  /end                  the end of a login: nothing to do, since nobody stays logged in here
//   GET  /                     its keys;  POST /rotate makes a new one
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/clock.h"
#include "base/locks.h"
#include "base/random.h"
#include "design/roles/access.h"
#include "http/pages/assets.h"
#include "http/server.h"
#include "systems/host/openid/parameters.h"
#include "systems/host/openid/signing_key.h"

namespace tavola::systems {

// Thread safety: all methods.
class DevIssuer {
 public:
  struct Parts {
    std::string client;                         // the id of its one client
    std::vector<design::Identity> people = {};  // whom its page proposes
    std::span<const http::Asset> assets = {};   // its page has their style sheet
    const Clock& clock = Clock::system();
    Random& random = Random::system();
  };
  // Listens on a free port, with a new key.
  static Result<std::unique_ptr<DevIssuer>> start(Parts parts);
  ~DevIssuer();

  const std::string& url() const { return url_; }
  // Sets the origins of its client: logins return to their /login/oidc/callback, logouts to their /.
  void allow(std::vector<std::string> origins);

  // Answers one request; public for tests.
  http::Response answer(const http::Request& request);

 private:
  // A code that was given out, with what its token will say.
  struct Code {
    design::Identity who;
    std::string redirect_uri;
    std::string nonce;
    std::string challenge;
    WallTime until;
  };
  struct Key {
    SigningKey key;
    WallTime made;
  };

  explicit DevIssuer(Parts parts) : parts_(std::move(parts)) {}
  http::Response metadata() const;
  http::Response keys();
  http::Response home();
  http::Response authorize(const http::Request& request);
  http::Response decide(const Parameters& form);
  http::Response token(const http::Request& request);
  http::Response end(const http::Request& request);
  http::Response style(const http::Request& request) const;
  // Returns why the request of a client cannot be answered to it; empty if it can.
  std::string mistake_in(const Parameters& request) const;
  std::optional<Code> take_code(const std::string& code);
  Result<void> add_key();
  std::vector<Key> current_keys();

  const Parts parts_;
  std::string url_;
  mutable Mutex mutex_;
  std::vector<std::string> origins_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<Key> keys_ TAVOLA_GUARDED_BY(mutex_);  // the newest one signs
  std::map<std::string, Code> codes_ TAVOLA_GUARDED_BY(mutex_);
  std::unique_ptr<http::Server> server_;
};

}  // namespace tavola::systems
