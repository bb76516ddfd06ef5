// Decides by the head of a request which clients and web pages may use a server.
//
// A browser sends requests on behalf of every page its user opens, also to servers on the user's own machine. So two
// headers that pages cannot forge are checked on every path:
//
//   Host    is the client's name for the server. The owner of evil.example can point that name at 127.0.0.1; the
//           browser then treats the server as part of that site (DNS rebinding). A name that is not the server's own
//           is refused.
//   Origin  names the requesting page. Pages of other origins are refused unless CORS admits them. Withholding the CORS
//           headers would not be enough: some requests are sent without a preflight, and only their responses are hidden.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace tavola::http {

// Pages of other origins that may use a server.
enum class WebPages : std::uint8_t { None, OfThisMachine, All };

// The headers that DynamoDB lets pages read, and those of responses under /v1.
inline constexpr std::string_view kExposedHeaders =
    "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date,Allow,Idempotency-Replayed,Retry-After";

struct WebRules {
  // Further names of the server: "db.example", ".example" for every name with that ending, or "." for every name without a dot.
  std::vector<std::string> allowed_hosts = {};
  WebPages pages = WebPages::OfThisMachine;
  std::vector<std::string> origins = {};  // of further pages that may use the server, unless `pages` is None
  std::string exposed_headers = std::string(kExposedHeaders);  // that pages of other origins may read
  std::string own_pages_only =
      {};  // the start of paths that pages of other origins can never use, but to which they may link
};

// Returns whether this text is an origin as browsers and apps send it: "https://app.example:8443",
// "capacitor://localhost".
bool is_origin(std::string_view text);
// Returns whether this text is valid in WebRules::allowed_hosts.
bool is_host_rule(std::string_view text);

// Thread safety: judge() from any thread once the other methods were called.
class WebGuard {
 public:
  explicit WebGuard(WebRules rules);

  // Adds the names of a server that listens on `host` (as in ServerOptions) and, there, on `address`
  // ("127.0.0.1:8000"): this name, this address, for a loopback address every loopback name, for a wildcard every
  // address.
  void listens_on(std::string_view host, std::string_view address);
  // Adds the names for which `is_certified` returns true: those in the TLS certificate.
  void allow_certified(std::function<bool(const std::string& host)> is_certified);

  struct Verdict {
    std::string refusal = {};  // why the request is refused, for its sender; empty: accepted
    std::string_view allow_origin =
        {};  // Access-Control-Allow-Origin; empty: none. A part of the request, or "*"
    bool depends_on_origin = false;  // other pages would get another response
  };
  Verdict judge(const Request& request) const;

 private:
  // Returns the wrong name that the request uses for the server; nullopt if there is none.
  std::optional<std::string_view> wrong_name_in(const Request& request) const;
  bool allows_host(std::string_view authority) const;
  bool allows_origin(std::string_view origin) const;

  WebRules rules_;
  bool allows_loopback_ = false;
  bool allows_addresses_ = false;
  std::function<bool(const std::string&)> is_certified_;
};

}  // namespace tavola::http
