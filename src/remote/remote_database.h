// A Database that is elsewhere: every call becomes a request to an endpoint that speaks DynamoDB's protocol, Tavola's or
// AWS's own, and the answer becomes the result.
//
//   TAVOLA_TRY(auto database, connect({.url = "http://127.0.0.1:8000", .access_key = "x", .secret = "x"}));
//
// It has what designs need: items, pages, transactions, and tables to create and describe. Older parameters are not sent.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tavola/database.h>

namespace tavola::remote {

struct Endpoint {
  std::string url{};
  std::string access_key{};
  std::string secret{};
  std::string session_token{};  // of temporary keys; empty: none
  std::string region = "us-east-1";
  std::string ca_bundle{};  // a file of certificates to trust; empty: those of the machine
};

// The endpoint at `url`, with keys and region from the variables that AWS's tools know (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION, AWS_CA_BUNDLE). Without keys: any, which a
// server without credentials takes.
Endpoint from_environment(std::string url);

// Sends nothing yet: an endpoint that is not there shows at the first call. A request that was throttled is sent again, with
// growing pauses; so is one that the server failed at, when a second time can do no harm.
Result<std::unique_ptr<Database>> connect(Endpoint endpoint);

struct HttpAnswer {
  long status = 0;
  std::string body{};
};

// A page of a server beside DynamoDB's operations, signed like these: get(endpoint, "/admin/designs/music/requests"). Fails
// with Io when no answer came.
Result<HttpAnswer> get(const Endpoint& endpoint, std::string_view path);
Result<HttpAnswer> put(const Endpoint& endpoint, std::string_view path, const std::string& json);

// The same on another way to the server, for tests. Nothing else is between the two but retries.
struct Transport {
  std::function<Result<HttpAnswer>(std::string_view operation, const std::string& body)> post;
  std::function<void(std::chrono::milliseconds)> pause;
};
std::unique_ptr<Database> database_behind(Transport transport);

}  // namespace tavola::remote
