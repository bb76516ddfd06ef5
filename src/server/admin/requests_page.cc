#include "server/admin/requests_page.h"

#include <string>

#include "server/v1/problem.h"

namespace tavola::server {
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

http::Response requests_page(const http::Request& request, const TrafficDatabase& counted) {
  if (request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD", "This is only read");
  }
  const std::string_view name =
      request.path.substr(kBefore.size(), request.path.size() - kBefore.size() - kBehind.size());
  const drift::RequestsSeen* const seen = counted.find(name);
  if (seen == nullptr) return unknown_design(name);
  return {.status = 200, .content_type = "application/json", .body = drift::to_json(seen->counts()) + "\n"};
}

}  // namespace tavola::server
