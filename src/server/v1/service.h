// Designs over HTTP: every pattern and every operation by its name.
//
//   GET  /v1/                         the designs, for people to read
//   GET  /v1/openapi.json             and for programs
//   GET  /v1/<design>/                its patterns and operations
//   GET  /v1/<design>/docs.md         all of it; these four need a token or a signature if a design has roles and the
//                                     server verifies tokens
//   GET  /v1/<design>/<pattern>?k=v   { "items": […], "next": "…" }; for a get, the entity itself
//   POST /v1/<design>/<operation>     a JSON object in; the operation's result out
//
// Entities are plain JSON; errors are problems (problem.h). In designs with roles, `Authorization: Bearer TOKEN`
// identifies the caller (token.h); a caller without a token has the roles of everybody.
#pragma once

#include <functional>
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

// The signer of a request, as with AWS's clients, if the server has access keys.
struct Signer {
  bool is_needed = false;  // for everything that roles do not govern
  bool is_there = false;
  std::optional<design::Identity> stands_for = {};  // nullopt: roles do not limit the key
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
    // Returns why the patterns and operations of a design cannot be used yet; nullopt if they can. Empty: they can.
    std::function<std::optional<std::string>(const design::Design&)> why_not_yet = {};
  };
  explicit DesignService(Parts parts);

  const Parts& parts() const { return parts_; }
  const std::vector<design::Design>& designs() const { return parts_.designs; }
  runner::Runner runner(const design::Design& design, Database& database) const;

  // A pattern or an operation, with its path.
  struct Route {
    std::string design;
    std::string name;
    std::string path;  // "/v1/music/songsOf"
  };
  std::vector<Route> routes() const;

  bool verifies_tokens() const { return parts_.tokens.has_value(); }

  // Returns the response to a request whose token does not identify the caller; nullopt for any other. Needs
  // the head alone.
  std::optional<http::Response> refuse_token(const http::Request& request) const;

  // Never fails: errors are responses. `database` is the one that the caller may use.
  http::Response answer(const http::Request& request, Database& database, const Signer& signer = {}) const;

 private:
  const design::Design* find_design(std::string_view name) const;
  struct Visit;
  http::Response answer_named(const design::Design& design, std::string_view name, const Visit& visit) const;
  http::Response answer_page(const design::Design& design, std::string_view name, const Visit& visit) const;
  // Checks that the roles of the table apply to the caller if they limit them: no other design bypasses them.
  static Result<void> check_roles(const design::Design& design, const Caller* who, const Visit& visit);
  // Returns the caller; null if the request is an operator's, which roles do not limit.
  Result<std::shared_ptr<const Caller>> who_asks(const design::Design& design, const http::Request& request,
                                                 const Signer& signer) const;
  // Refuses pages that describe a design with roles to unidentified callers. Returns nullopt if the caller may read
  // them, or if the server verifies no tokens: then nobody could log in.
  std::optional<http::Response> refuse_stranger(std::span<const design::Design> about,
                                                const Visit& visit) const;
  // Returns the response, or the problem of its error.
  http::Response logged(const design::Design& design, const Result<http::Response>& response) const;

  Parts parts_;
  std::string openapi_;
  std::string index_;
};

}  // namespace tavola::server
