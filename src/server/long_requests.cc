#include "server/long_requests.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tavola::server {
namespace {

// Reading more takes a while.
constexpr std::size_t kSmallBodyBytes = std::size_t{64} * 1024;

constexpr std::string_view kShortPaths[] = {"/", "/health", "/health/live"};

// Operations that DynamoDB's limits keep short: at most 100 items and 16 MB, which takes some 20 ms.
constexpr std::array<std::string_view, 11> kShortTargets = {
    "DynamoDB_20120810.BatchGetItem",     "DynamoDB_20120810.BatchWriteItem",
    "DynamoDB_20120810.DeleteItem",       "DynamoDB_20120810.DescribeEndpoints",
    "DynamoDB_20120810.DescribeTable",    "DynamoDB_20120810.GetItem",
    "DynamoDB_20120810.ListTables",       "DynamoDB_20120810.PutItem",
    "DynamoDB_20120810.TransactGetItems", "DynamoDB_20120810.TransactWriteItems",
    "DynamoDB_20120810.UpdateItem"};

constexpr std::array<std::string_view, 2> kPages = {"DynamoDB_20120810.Query", "DynamoDB_20120810.Scan"};

// A page of 1 MB has many thousand small items. To read them is quick, but to look at each of them is not. An escaped letter could
// hide what is looked for.
bool looks_at_every_item(std::string_view body) {
  constexpr std::string_view kSigns[] = {"Filter", "Projection", "AttributesToGet", "\\"};
  return std::ranges::any_of(kSigns, [body](std::string_view sign) { return body.contains(sign); });
}

bool is_page(std::string_view target) { return std::ranges::find(kPages, target) != kPages.end(); }

}  // namespace

bool may_take_long(const http::Request& request) {
  if (request.body.size() > kSmallBodyBytes) return true;
  if (request.path.starts_with("/v1") || request.path.starts_with("/admin")) return true;
  if (request.method == "GET" || request.method == "HEAD") {
    return std::ranges::find(kShortPaths, request.path) == std::end(kShortPaths);
  }
  const std::string_view target = request.header("x-amz-target");
  if (is_page(target)) return looks_at_every_item(request.body);
  return std::ranges::find(kShortTargets, target) == kShortTargets.end();
}

bool may_take_long_for_people(const http::Request& request) {
  return may_take_long(request) || is_page(request.header("x-amz-target"));
}

}  // namespace tavola::server
