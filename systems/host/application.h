// The server of an application: its pages, /v1 of its design, its own addresses, sessions and logins.
//
//   GET  /                   the pages; every view has a URL
//   GET  /session            who is logged in, the page's token, and the ways to log in
//   *    /login/<provider>/… a login (identity_provider.h);  POST /logout ends the session
//   *    /v1/<design>/…      for the person of the session, by the roles of the design
//   GET  /events             server-sent events
//   GET  /health, /metrics
//
// A request that changes something needs a session and the page's token in X-Page-Token. Pages of other origins are refused before
// anything is read (http/web_guard.h), and cookies are SameSite=Strict: each of the three would do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "access/identity/sessions.h"
#include "http/metrics.h"
#include "http/pages/assets.h"
#include "http/pages/event_room.h"
#include "http/server.h"
#include "systems/host/identity_provider.h"
#include "systems/host/options.h"
#include "systems/host/system_design.h"

namespace tavola::systems {

// A request with its sender: somebody who is logged in, or nobody (an empty `sub`).
struct Visit {
  const http::Request& request;
  const design::Identity& who;
};

// Says who may send requests to an address. Guests decides whether a guest may read it. With Everybody, requests without a session may also change
// something: such an address must decide by the request alone what it does.
enum class Access : std::uint8_t { LoggedIn, Everybody };

// An address of the application's own. Its path begins with "/api/", unless no view of the pages has it.
struct Route {
  std::string_view method;
  std::string path;
  std::function<http::Response(const Visit&)> answer;
  Access access = Access::LoggedIn;
};

// A part of the server with a protocol of its own, such as S3's, for all paths that begin with `path`. It judges its requests itself and takes
// their bodies as they arrive (http/options.h).
struct Mount {
  std::string path;  // "/texts/"
  std::function<std::optional<http::Response>(const http::Request&)> refuse_head;
  std::function<std::unique_ptr<http::BodySink>(const http::Request&)> receive_body;
  http::Handler handle;
};

// The rights of people who are not logged in.
enum class Guests : std::uint8_t {
  LogIn,    // nothing: they see the login page
  MayRead,  // what the design's roles let everybody ask, events, and the application's own addresses, which decide themselves
};

// Thread safety: all methods after start().
class Application {
 public:
  struct Parts {
    std::string name;  // "tavola-inventory": also of its cookie
    SystemDesign& design;
    std::span<const http::Asset> assets;
    std::vector<std::unique_ptr<IdentityProvider>> providers = {};
    std::vector<Route> routes = {};
    std::map<std::string, std::string> settings = {};  // for the pages
    Guests guests = Guests::LogIn;
    std::optional<Mount> mount = {};
    std::string connects_to = {};  // an origin to which the pages send requests, too; empty: none
    // Returns why the person may not send this request under /v1, beyond the roles of the design; nullopt if they may.
    std::function<std::optional<http::Response>(const Visit&)> refuse = {};
    // Called after an operation under /v1 was performed.
    std::function<void(const http::Request&, const http::Response&)> performed = {};
    const Clock& clock = Clock::system();
    Random& random = Random::system();
  };
  explicit Application(Parts parts);
  ~Application();

  // Listens, and serves when it returns. Fails with a message for people.
  Result<void> start(const HostOptions& options);
  const std::vector<std::string>& urls() const { return server_->urls(); }
  // Finishes the running requests.
  void stop();

  http::EventRoom& events() { return events_; }
  http::Metrics& metrics() { return metrics_; }

  // Answers one request; public for tests.
  void answer(const http::Request& request, http::Reply reply);

 private:
  http::Response answer_now(const http::Request& request);
  http::Response answer_api(const http::Request& request, const access::Session& session);
  http::Response answer_guest(const http::Request& request);
  const Route* find_route(const http::Request& request) const;
  bool is_mounted(const http::Request& request) const;
  bool is_page(std::string_view path) const;
  http::Response session_page(const std::optional<access::Session>& session) const;
  http::Response log_in(const http::Request& request);
  http::Response log_out(const http::Request& request, const access::LoginOrigin& origin);
  std::optional<access::Session> session_of(const http::Request& request);
  std::string cookie(std::string_view id, std::string_view age) const;

  Parts parts_;
  bool is_secure_ = false;
  access::Sessions sessions_;
  access::AttemptLimit attempts_;
  http::EventRoom events_;
  http::Metrics metrics_;
  http::Counter& refused_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace tavola::systems
