#include "http/pages/page_answers.h"

#include <utility>

namespace tavola::http {

Response json_answer(std::string body) {
  Response response{.status = 200, .content_type = "application/json", .body = std::move(body)};
  response.add_header("Cache-Control", "no-store");
  return response;
}

void protect(Response& response, std::string_view connects_to, Forms forms) {
  std::string policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'";
  if (forms == Forms::Here) policy += "; form-action 'self'";
  if (!connects_to.empty()) policy += "; connect-src 'self' " + std::string(connects_to);
  response.add_header("Content-Security-Policy", policy);
  response.add_header("X-Content-Type-Options", "nosniff");
  response.add_header("Referrer-Policy", "no-referrer");
  response.add_header("Cross-Origin-Opener-Policy", "same-origin");
  response.add_header("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace tavola::http
