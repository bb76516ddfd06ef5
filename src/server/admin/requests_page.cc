#include "server/admin/requests_page.h"

#include <string>

#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kRequestsBefore = "/admin/designs/";
constexpr std::string_view kRequestsAfter = "/requests";

}  // namespace

bool is_requests_page(std::string_view path) {
  return path.size() > kRequestsBefore.size() + kRequestsAfter.size() && path.starts_with(kRequestsBefore) &&
         path.ends_with(kRequestsAfter);
}

std::string requests_path(std::string_view design) {
  return std::string(kRequestsBefore) + std::string(design) + std::string(kRequestsAfter);
}

http::Response requests_page(const http::Request& request, const TrafficDatabase& counted) {
  if (request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD", "This resource is read-only");
  }
  const std::string_view name = request.path.substr(
      kRequestsBefore.size(), request.path.size() - kRequestsBefore.size() - kRequestsAfter.size());
  const std::optional<drift::RequestCounts> counts = counted.counts(name);
  if (!counts) return unknown_design(name);
  return {.status = 200, .content_type = "application/json", .body = drift::to_json(*counts) + "\n"};
}

}  // namespace tavola::server
