#include "systems/host/application.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/url_host.h"
#include "http/client.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"

namespace tavola::systems {
namespace {

constexpr std::string_view kPageToken = "x-page-token";
constexpr std::size_t kLoginsPerMinute = 20;
constexpr std::string_view kSessionSeconds =
    "604800";  // SessionLimits::whole; the server ends it earlier when it is unused

bool is_read(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

}  // namespace

Application::Application(Parts parts)
    : parts_(std::move(parts)),
      sessions_(parts_.clock, parts_.random),
      attempts_(parts_.clock, kLoginsPerMinute, std::chrono::minutes(1)),
      refused_(metrics_.counter("tavola_system_refused_total",
                                "Requests without a session, a page token or a permission.")) {
  metrics_.also([this](std::string& out) {
    if (server_) server_->append_metrics(out);
    http::append_metric(out,
                        {"tavola_system_sessions", "People who are logged in.", "gauge", sessions_.size()});
  });
}

Application::~Application() { stop(); }

bool Application::is_mounted(const http::Request& request) const {
  return parts_.mount && request.path.starts_with(parts_.mount->path);
}

bool Application::is_page(std::string_view path) const {
  const bool is_of_mount = parts_.mount && path.starts_with(parts_.mount->path);
  return !server::is_design_path(path) && !path.starts_with("/api/") && !path.starts_with("/login/") &&
         path != "/logout" && !is_of_mount &&
         std::ranges::find(parts_.routes, path, &Route::path) == parts_.routes.end();
}

const Route* Application::find_route(const http::Request& request) const {
  const auto found = std::ranges::find_if(parts_.routes, [&](const Route& route) {
    return route.path == request.path && route.method == request.method;
  });
  return found == parts_.routes.end() ? nullptr : &*found;
}

Result<void> Application::start(const HostOptions& options) {
  is_secure_ = options.is_secure();
  http::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.reach = !options.tls_certificate.empty() ? http::Reach::Network : http::Reach::ThisMachine;
  server.tls_certificate = options.tls_certificate;
  server.tls_key = options.tls_key;
  server.web = {.pages = http::WebPages::None, .own_pages_only = "/"};
  if (!options.public_url.empty()) server.web.allowed_hosts.emplace_back(host_in(options.public_url));
  // Requests to the database may wait for a disk or a network; a held request for events takes no thread.
  server.may_take_long = [this](const http::Request& request) { return !is_page(request.path); };
  if (parts_.mount) {
    server.refuse_head = [this](const http::Request& request) {
      return is_mounted(request) ? parts_.mount->refuse_head(request) : std::nullopt;
    };
    server.receive_body = [this](const http::Request& request) {
      return is_mounted(request) ? parts_.mount->receive_body(request) : nullptr;
    };
  }
  TAVOLA_TRY(server_,
             http::Server::start(std::move(server), [this](const http::Request& request, http::Reply reply) {
               answer(request, std::move(reply));
             }));
  for (const auto& provider : parts_.providers) provider->served_at(server_->urls());
  return {};
}

void Application::stop() {
  events_.close();
  if (server_) server_->stop();
}

void Application::answer(const http::Request& request, http::Reply reply) {
  if (is_mounted(request)) return parts_.mount->handle(request, std::move(reply));
  const bool may_wait = parts_.guests == Guests::MayRead || session_of(request);
  if (request.path == "/events" && is_read(request) && may_wait) {
    events_.wait(request.header("last-event-id"), std::move(reply));
    return;
  }
  http::Response response = answer_now(request);
  if (response.status == 401 || response.status == 403 || response.status == 429) refused_.add();
  http::protect(response, parts_.connects_to);
  reply(std::move(response));
}

http::Response Application::answer_now(const http::Request& request) {
  if (request.path == "/health") return {.status = 200, .content_type = "text/plain", .body = "ok\n"};
  if (request.path == "/metrics") {
    return {.status = 200, .content_type = "text/plain; version=0.0.4", .body = metrics_.text()};
  }
  if (request.path.starts_with("/login/")) return log_in(request);
  const std::optional<access::Session> session = session_of(request);
  if (request.path == "/session" && is_read(request)) return session_page(session);
  if (is_page(request.path) && request.path != "/events") {
    if (!is_read(request)) return server::problem_answer(405, "Pages are read only: use GET");
    auto response = http::asset_answer(request, parts_.assets);
    return response ? *std::move(response) : server::unknown_path(request.path);
  }
  if (!session) return answer_guest(request);
  if (!is_read(request) && !same_secret(request.header(kPageToken), session->page_token)) {
    return server::problem_answer(
        403,
        "The request lacks the token that GET /session gives a page (X-Page-Token); load the page again");
  }
  if (request.path == "/logout") return log_out(request, session->origin);
  return answer_api(request, *session);
}

http::Response Application::answer_guest(const http::Request& request) {
  const Route* const route = find_route(request);
  if (route != nullptr && route->access == Access::Everybody) return answer_api(request, {});
  if (parts_.guests == Guests::LogIn || !is_read(request)) return server::problem_answer(401, "Log in first");
  http::Response response = answer_api(request, {});
  const bool needs_a_person = response.status == 401 || response.status == 403;
  return needs_a_person ? server::problem_answer(401, "Log in first: not everybody may see this") : response;
}

http::Response Application::answer_api(const http::Request& request, const access::Session& session) {
  const Visit visit{request, session.who};
  if (server::is_design_path(request.path)) {
    if (auto refusal = parts_.refuse ? parts_.refuse(visit) : std::nullopt) return *std::move(refusal);
    http::Response response = parts_.design.answer(request, session.who);
    response.add_header("Cache-Control", "no-store");
    if (!is_read(request) && response.status < 300 && parts_.performed) parts_.performed(request, response);
    return response;
  }
  if (const Route* const route = find_route(request)) return route->answer(visit);
  const bool is_known = std::ranges::find(parts_.routes, request.path, &Route::path) != parts_.routes.end();
  return is_known ? server::problem_answer(405, "This address has another method")
                  : server::unknown_path(request.path);
}

http::Response Application::session_page(const std::optional<access::Session>& session) const {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("user").text(session ? session->who.sub : "");
  json.name("name").text(!session                       ? ""
                         : session->origin.name.empty() ? session->who.sub
                                                        : session->origin.name);
  json.name("groups").begin_list();
  if (session) {
    for (const std::string& group : session->who.groups) json.text(group);
  }
  json.end_list();
  json.name("csrf").text(session ? session->page_token : "");
  json.name("guests").text(parts_.guests == Guests::MayRead ? "read" : "");
  json.name("login").begin_list();
  for (const auto& provider : parts_.providers) provider->describe(json);
  json.end_list();
  json.name("settings").begin_object();
  for (const auto& [name, value] : parts_.settings) json.name(name).text(value);
  json.end_object();
  json.end_object();
  return http::json_answer(std::move(body));
}

std::string Application::cookie(std::string_view id, std::string_view age) const {
  return parts_.name + "=" + std::string(id) +
         "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::string(age) + (is_secure_ ? "; Secure" : "");
}

std::optional<access::Session> Application::session_of(const http::Request& request) {
  const std::string_view id = access::cookie_of(request.header("cookie"), parts_.name);
  return id.empty() ? std::nullopt : sessions_.find(id);
}

http::Response Application::log_in(const http::Request& request) {
  const std::string_view rest = request.path.substr(std::string_view("/login/").size());
  const auto provider = std::ranges::find_if(
      parts_.providers, [&](const auto& one) { return rest.substr(0, rest.find('/')) == one->name(); });
  if (provider == parts_.providers.end()) return server::unknown_path(request.path);
  // Addresses below are steps of a login that began here.
  const bool begins = rest == (*provider)->name();
  if (const std::chrono::seconds wait =
          begins ? attempts_.note(std::string(http::address_of(request.peer))) : std::chrono::seconds();
      wait.count() > 0) {
    http::Response response = server::problem_answer(
        429, "Too many logins from this address; try again in " + std::to_string(wait.count()) + " s");
    response.add_header("Retry-After", std::to_string(wait.count()));
    return response;
  }
  LoginStep step = (*provider)->answer(request);
  if (step.who) {
    // A new session for every login: an id that somebody else knows is worth nothing afterwards.
    sessions_.end(access::cookie_of(request.header("cookie"), parts_.name));
    step.response.add_header(
        "Set-Cookie",
        cookie(sessions_.begin(std::move(step.who->who), std::move(step.who->origin)), kSessionSeconds));
  }
  return std::move(step.response);
}

http::Response Application::log_out(const http::Request& request, const access::LoginOrigin& origin) {
  if (request.method != "POST") return server::problem_answer(405, "Log out with POST");
  sessions_.end(access::cookie_of(request.header("cookie"), parts_.name));
  // The login itself ends where it began: the browser goes there.
  const auto provider =
      std::ranges::find(parts_.providers, origin.provider, [](const auto& one) { return one->name(); });
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("href").text(provider == parts_.providers.end() ? "" : (*provider)->end_address(request, origin));
  json.end_object();
  http::Response response = http::json_answer(std::move(body));
  response.add_header("Set-Cookie", cookie("", "0"));
  return response;
}

}  // namespace tavola::systems
