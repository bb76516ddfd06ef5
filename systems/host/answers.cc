#include "systems/host/answers.h"

#include "server/v1/problem.h"

namespace tavola::systems {
namespace {

struct Kind {
  int status;
  std::string_view kind;
  std::string_view title;
};

Kind kind_of(int status) {
  static constexpr Kind kKinds[] = {{401, "unauthorized", "Nobody is logged in"},
                                    {403, "forbidden", "The request is not allowed"},
                                    {404, "unknown-name", "There is no such address"},
                                    {405, "wrong-method", "The address has another method"},
                                    {429, "too-many", "Too many requests"},
                                    {503, "busy", "The service is not available now"}};
  for (const Kind& kind : kKinds) {
    if (kind.status == status) return kind;
  }
  return {status, "refused", "The request was refused"};
}

}  // namespace

http::Response json_answer(std::string body) {
  http::Response response{.status = 200, .content_type = "application/json", .body = std::move(body)};
  response.add_header("Cache-Control", "no-store");
  return response;
}

http::Response problem(int status, std::string detail) {
  const Kind kind = kind_of(status);
  server::Problem made{.kind = kind.kind, .title = kind.title, .status = status, .detail = std::move(detail)};
  if (status == 403) made.refusal = "FORBIDDEN";
  if (status != 401) return server::to_response(made);
  // A challenge would make browsers ask for a password themselves.
  http::Response response{.status = 401, .content_type = server::kProblemType, .body = server::to_json(made)};
  return response;
}

http::Response unknown_path(std::string_view path) {
  return problem(404, "There is nothing at " + std::string(path));
}

void protect(http::Response& response, std::string_view connects_to) {
  std::string policy =
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
  if (!connects_to.empty()) policy += "; connect-src 'self' " + std::string(connects_to);
  response.add_header("Content-Security-Policy", policy);
  response.add_header("X-Content-Type-Options", "nosniff");
  response.add_header("Referrer-Policy", "no-referrer");
  response.add_header("Cross-Origin-Opener-Policy", "same-origin");
  response.add_header("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace tavola::systems
