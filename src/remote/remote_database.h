// A remote Database: every call becomes a request to an endpoint that speaks DynamoDB's protocol, Tavola's or AWS's
// own, and the response becomes the result.
//
//   TAVOLA_TRY(auto database, connect({.url = "http://127.0.0.1:8000", .access_key = "x", .secret = "x"}));
//
// It supports what designs need: items, pages, transactions, and creating, describing and deleting tables. Legacy parameters are
// not sent.
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
  std::string session_token{};  // for temporary keys; empty: none
  std::string region = "us-east-1";
  std::string ca_bundle{};  // a file of trusted certificates; empty: those of the machine
  // Operations may be marked as those of a tool (wire/codec/maintenance_header.h): a Tavola server does not count them, and performs
  // them as they are if they move whole tables.
  enum class Mark : std::uint8_t { None, Maintenance, AsIs };
  Mark mark = Mark::None;
};

// Returns the endpoint at `url`, with keys and region from the variables of AWS's tools (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION, AWS_CA_BUNDLE). Without keys it uses
// arbitrary ones, which a server without credentials accepts.
Endpoint from_environment(std::string url);

// Sends nothing yet: an unreachable endpoint fails at the first call. A throttled request is sent again, with growing
// pauses; so is one that failed on the server, if repeating it is harmless.
Result<std::unique_ptr<Database>> connect(Endpoint endpoint);

struct HttpAnswer {
  long status = 0;
  std::string body{};
};

// Gets a page of a server beside DynamoDB's operations, signed like these: get(endpoint,
// "/admin/designs/music/requests"). Fails with Io if there was no response.
Result<HttpAnswer> get(const Endpoint& endpoint, std::string_view path);
Result<HttpAnswer> put(const Endpoint& endpoint, std::string_view path, const std::string& json);

// Connects over another transport, for tests. Only retries are added.
struct Transport {
  std::function<Result<HttpAnswer>(std::string_view operation, const std::string& body)> post;
  std::function<void(std::chrono::milliseconds)> pause;
};
std::unique_ptr<Database> database_behind(Transport transport);

}  // namespace tavola::remote
