// How people log in. An application asks its providers; each has addresses of its own under /login/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "design/roles/access.h"
#include "http/message.h"
#include "json/writer.h"

namespace tavola::systems {

// The end of one request of a login. With `who`, the person is known: the application begins their session and adds its cookie to the
// response. Without it the response is a step (a redirect to the issuer) or a refusal.
struct LoginStep {
  std::optional<design::Identity> who = {};
  http::Response response = {};
};

// Thread safety: all methods.
class IdentityProvider {
 public:
  virtual ~IdentityProvider() = default;

  // The part of its addresses after "/login/": "dev" for /login/dev and everything below.
  virtual std::string_view name() const = 0;

  // Writes one object for the login page:
  //   {"kind": "choose", "href": "/login/dev", "people": [{"user": "anna", "groups": ["owner"]}]}   the page shows a form, and POSTs it
  //   {"kind": "redirect", "href": "/login/oidc"}                                                   the browser goes there
  virtual void describe(json::Writer& json) const = 0;

  // Answers a request to one of its addresses: POST from the login page, GET when an issuer sends the browser back. The application has
  // checked the rate of attempts and, for a POST, that one of its own pages sent it.
  virtual LoginStep answer(const http::Request& request) = 0;
};

}  // namespace tavola::systems
