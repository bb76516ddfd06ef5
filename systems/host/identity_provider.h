// How people log in. An application asks its providers; each has addresses of its own under /login/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "access/identity/sessions.h"
#include "design/roles/access.h"
#include "http/message.h"
#include "json/writer.h"

namespace tavola::systems {

// A person who has just logged in.
struct Login {
  design::Identity who;
  access::LoginOrigin origin;
};

// The end of one request of a login. With `who`, the person is known: the application begins their session and adds its cookie to the
// response. Without it the response is a step (a redirect to the issuer) or a refusal.
struct LoginStep {
  std::optional<Login> who = {};
  http::Response response = {};
};

// Thread safety: all methods.
class IdentityProvider {
 public:
  virtual ~IdentityProvider() = default;

  // The part of its addresses after "/login/": "oidc" for /login/oidc, where a login begins, and everything below.
  virtual std::string_view name() const = 0;

  // Writes one object for the login page: {"href": "/login/oidc"}. The browser goes there.
  virtual void describe(json::Writer& json) const = 0;

  // Answers a request to one of its addresses. The application has checked the rate of logins that begin.
  virtual LoginStep answer(const http::Request& request) = 0;

  // Returns where the browser ends the login itself after its session has ended here; empty: nowhere.
  virtual std::string end_address(const http::Request& request, const access::LoginOrigin& origin) = 0;

  // Called once, with the addresses of the application, before they are announced.
  virtual void served_at(std::span<const std::string> /*urls*/) {}
};

}  // namespace tavola::systems
