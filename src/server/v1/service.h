// Designs over HTTP: every pattern and every operation by its name.
//
//   GET  /v1/                         the designs, for people to read
//   GET  /v1/openapi.json             and for programs
//   GET  /v1/<design>/                its patterns and operations
//   GET  /v1/<design>/docs.md         all of it; these four need a token or a signature where a design has roles and the
//                                     server verifies tokens
//   GET  /v1/<design>/<pattern>?k=v   { "items": […], "next": "…" }; of a get, the entity itself
//   POST /v1/<design>/<operation>     a JSON object in; what the operation returns out
//
// Entities are plain JSON; what went wrong is a problem (problem.h). In designs with roles, `Authorization: Bearer TOKEN` says
// who asks (token.h); who says nothing has the roles that everybody has.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "access/identity/token.h"
#include "base/clock.h"
#include "base/random.h"
#include "design/model/model.h"
#include "http/message.h"
#include "runner/runner.h"
#include "server/v1/problem.h"

namespace tavola::server {

// Returns whether a path is under /v1.
bool is_design_path(std::string_view path);

// Who signed a request as AWS's clients do, where the server knows access keys.
struct Signer {
  bool is_needed = false;  // for all that roles do not govern
  bool is_there = false;
  std::optional<design::Identity> stands_for = {};  // nothing: roles do not limit the key
};

// Thread safety: all methods.
class DesignService {
 public:
  struct Parts {
    std::vector<design::Design> designs;               // of different names
    std::optional<access::TokenVerifier> tokens = {};  // nothing: nobody can log in
    const Clock& clock = Clock::system();
    Random& random = Random::system();
    std::string secret = {};  // of page tokens
  };
  explicit DesignService(Parts parts);

  const std::vector<design::Design>& designs() const { return parts_.designs; }
  runner::Runner runner(const design::Design& design, Database& database) const;

  // The patterns and operations, each by its path.
  struct Route {
    std::string design;
    std::string name;
    std::string path;  // "/v1/music/songsOf"
  };
  std::vector<Route> routes() const;

  bool verifies_tokens() const { return parts_.tokens.has_value(); }

  // The answer to a request whose token does not tell who asks; nothing for any other. Needs the head alone.
  std::optional<http::Response> refuse_token(const http::Request& request) const;

  // Never fails: errors are answers. `database` is the one that the caller may use.
  http::Response answer(const http::Request& request, Database& database, const Signer& signer = {}) const;

 private:
  const design::Design* find_design(std::string_view name) const;
  struct Visit;
  http::Response answer_design(const design::Design& design, std::string_view name, const Visit& visit) const;
  http::Response answer_page(const design::Design& design, std::string_view name, const Visit& visit) const;
  // Checks that the roles of the table are applied to whoever they limit: no other design is a way around them.
  static Result<void> check_roles(const design::Design& design, const Caller* who, const Visit& visit);
  // Returns the person who asks; null when the request is an operator's, which roles do not limit.
  Result<std::shared_ptr<const Caller>> who_asks(const design::Design& design, const http::Request& request,
                                                 const Signer& signer) const;
  // Refuses pages that describe a design with roles to callers who did not say who they are. Returns nothing when the caller
  // may read them, and when the server verifies no tokens: then nobody could log in.
  std::optional<http::Response> refuse_stranger(std::span<const design::Design> about,
                                                const Visit& visit) const;
  // The answer, or the problem that came instead.
  http::Response told(const design::Design& design, const Result<http::Response>& response) const;

  Parts parts_;
  std::string openapi_;
  std::string index_;
};

}  // namespace tavola::server
