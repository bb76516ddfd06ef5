// Designs over HTTP: every pattern and every operation by its name.
//
//   GET  /v1/                         the designs, for people to read
//   GET  /v1/openapi.json             and for programs
//   GET  /v1/<design>/                its patterns and operations
//   GET  /v1/<design>/docs.md         all of it
//   GET  /v1/<design>/<pattern>?k=v   { "items": […], "next": "…" }; of a get, the entity itself
//   POST /v1/<design>/<operation>     a JSON object in; what the operation returns out
//
// Entities are plain JSON; what went wrong is a problem (problem.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "api/problem.h"
#include "base/clock.h"
#include "base/random.h"
#include "design/model.h"
#include "http/message.h"
#include "runner/runner.h"

namespace tavola::api {

// Whether a path is this room's.
bool is_ours(std::string_view path);

// Thread safety: all methods.
class Service {
 public:
  struct Parts {
    std::vector<design::Design> designs;  // of different names
    const Clock& clock = Clock::system();
    Random& random = Random::system();
    std::string secret = {};  // of page tokens
  };
  explicit Service(Parts parts);

  const std::vector<design::Design>& designs() const { return parts_.designs; }
  runner::Runner runner(const design::Design& design, Database& database) const;

  // The patterns and operations, each by its path.
  struct Route {
    std::string design;
    std::string name;
    std::string path;  // "/v1/music/songsOf"
  };
  std::vector<Route> routes() const;

  // Never fails: errors are answers. `database` is the one that the caller may use.
  http::Response answer(const http::Request& request, Database& database) const;

 private:
  const design::Design* find_design(std::string_view name) const;
  http::Response answer_design(const design::Design& design, std::string_view name,
                               const http::Request& request, Database& database) const;

  Parts parts_;
  std::string openapi_;
  std::string index_;
};

}  // namespace tavola::api
