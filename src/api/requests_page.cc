#include "api/requests_page.h"

#include <string>

#include "api/problem.h"
#include "value/utf8.h"

namespace tavola::api {
namespace {

constexpr std::string_view kBefore = "/admin/designs/";
constexpr std::string_view kBehind = "/requests";

}  // namespace

bool is_requests_page(std::string_view path) {
  return path.size() > kBefore.size() + kBehind.size() && path.starts_with(kBefore) &&
         path.ends_with(kBehind);
}

std::string requests_path(std::string_view design) {
  return std::string(kBefore) + std::string(design) + std::string(kBehind);
}

http::Response requests_page(const http::Request& request, const runner::CountedDatabase& counted) {
  if (request.method != "GET" && request.method != "HEAD") {
    http::Response response = to_response({.kind = "wrong-method",
                                           .title = "Not with this method",
                                           .status = 405,
                                           .detail = "This is only read"});
    response.add_header("Allow", "GET, HEAD");
    return response;
  }
  const std::string_view name =
      request.path.substr(kBefore.size(), request.path.size() - kBefore.size() - kBehind.size());
  const runner::RequestsSeen* const seen = counted.find(name);
  if (seen == nullptr) {
    // What is answered repeats what was asked for, and JSON is UTF-8.
    return to_response({.kind = "unknown-name",
                        .title = "There is nothing of this name",
                        .status = 404,
                        .detail = "There is no design " +
                                  (is_utf8(name) ? std::string(name) : "of this name") +
                                  " here. GET /v1/ lists them."});
  }
  return {.status = 200, .content_type = "application/json", .body = runner::to_json(seen->counts()) + "\n"};
}

}  // namespace tavola::api
