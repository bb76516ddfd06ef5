#include "server/console/console.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "access/permissions/sender.h"
#include "base/digest.h"
#include "http/client.h"
#include "http/pages/page_answers.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/console/guarded_reply.h"
#include "server/v1/problem.h"
#include "wire/service.h"

namespace tavola::server {
namespace {

constexpr std::string_view kPageToken = "x-page-token";
constexpr std::size_t kLoginsPerMinute = 20;
constexpr std::size_t kLoginBytesMax = 4096;
constexpr std::string_view kSessionSeconds = "604800";  // access::SessionLimits::whole
constexpr std::string_view kReadOnly =
    "The console is read-only: the server was started with --console read-only";

bool only_reads(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

// Operations whose names begin so change nothing. A statement may do both: the layers of the database see what it does.
bool may_only_look(std::string_view target) {
  constexpr std::array<std::string_view, 7> kLooks = {"Get",  "BatchGet", "TransactGet", "Query",
                                                      "Scan", "List",     "Describe"};
  constexpr std::array<std::string_view, 3> kStatements = {"ExecuteStatement", "BatchExecuteStatement",
                                                           "ExecuteTransaction"};
  const std::string_view operation = target.substr(target.find('.') + 1);
  return std::ranges::any_of(kLooks, [operation](auto begin) { return operation.starts_with(begin); }) ||
         std::ranges::find(kStatements, operation) != kStatements.end();
}

http::Response refused_operation() {
  wire::Answer answer = wire::error_answer(Error(ErrorCode::AccessDenied, std::string(kReadOnly)));
  return {
      .status = answer.status, .content_type = "application/x-amz-json-1.0", .body = std::move(answer.body)};
}

bool is_path_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_page_path(std::string_view path) {
  constexpr std::array<std::string_view, 4> kOthers = {"/session", "/login", "/logout", "/db"};
  return std::ranges::find(kOthers, path) == kOthers.end() && !is_design_path(path) &&
         !is_path_below(path, "/console");
}

}  // namespace

Console::Console(Parts parts)
    : parts_(std::move(parts)),
      sessions_(parts_.clock, parts_.random),
      attempts_(parts_.clock, kLoginsPerMinute, std::chrono::minutes(1)),
      token_(access::random_secret(parts_.random)) {}

bool Console::may_take_long(const http::Request& request) {
  return !is_page_path(request.path) && request.path != "/session";
}

std::optional<http::Response> Console::refuse_head(const http::Request& request) {
  if (parts_.verifier == nullptr || only_reads(request) || request.path == "/login") return std::nullopt;
  auto refusal = refuse(request, person_of(request));
  if (refusal) http::protect(*refusal);
  return refusal;
}

void Console::answer(const http::Request& request, http::Reply given) {
  http::Reply reply = protected_reply(std::move(given));
  if (is_page_path(request.path)) return reply(page(request));
  if (request.path == "/login") return reply(log_in(request));
  const std::optional<Person> person = person_of(request);
  if (request.path == "/session" && only_reads(request)) return reply(session_page(person));
  if (auto refusal = refuse(request, person)) return reply(*std::move(refusal));
  if (person) answer_known(*person, request, std::move(reply));  // nobody else is left
}

void Console::close() {
  for (const Route& route : parts_.routes) {
    if (route.close) route.close();
  }
}

http::Response Console::page(const http::Request& request) const {
  if (!only_reads(request)) return problem_answer(405, "Pages are read only: use GET");
  auto response = http::asset_answer(request, parts_.assets);
  return response ? *std::move(response) : unknown_path(request.path);
}

std::optional<http::Response> Console::refuse(const http::Request& request,
                                              const std::optional<Person>& person) const {
  if (!person) return problem_answer(401, "Log in first: POST /login with an access key of this server");
  if (only_reads(request) || same_secret(request.header(kPageToken), person->page_token)) return std::nullopt;
  return problem_answer(
      403, "The request lacks the token that GET /session gives a page (X-Page-Token); load the page again");
}

void Console::answer_known(const Person& person, const http::Request& request, http::Reply reply) {
  if (request.path == "/logout") return reply(log_out(request));
  if (request.path == "/db") {
    if (request.method != "POST") return reply(wrong_method("POST", "Operations of DynamoDB are posted"));
    if (is_read_only(person) && !may_only_look(request.header("x-amz-target")))
      return reply(refused_operation());
  } else if (!is_design_path(request.path)) {
    const Route* const route = find_route(request.path);
    if (route == nullptr) return reply(unknown_path(request.path));
    return answer_route(*route, person, request, std::move(reply));
  } else if (parts_.designs == nullptr) {
    return reply(unknown_path(request.path));
  }
  as_sender(person,
            [&](const access::Sender& sender) { parts_.backend.perform(sender, request, std::move(reply)); });
}

const Route* Console::find_route(std::string_view path) const {
  const Route* found = nullptr;  // the longest path wins
  for (const Route& route : parts_.routes) {
    const bool is_longer = found == nullptr || route.path.size() > found->path.size();
    if (is_path_below(path, route.path) && is_longer) found = &route;
  }
  return found;
}

void Console::answer_route(const Route& route, const Person& person, const http::Request& request,
                           http::Reply reply) {
  if (is_read_only(person) && route.effect(request) == Effect::Changes)
    return reply(problem_answer(403, std::string(kReadOnly)));
  const bool is_limited =
      person.key != nullptr && access::is_limited({.access_key = {}, .region = {}, .key = person.key});
  as_sender(person, [&](const access::Sender& sender) {
    parts_.backend.with_database(sender, request, [&](Database& database) {
      const Visit visit{.request = request,
                        .database = database,
                        .sender = person.key == nullptr ? nullptr : &sender,
                        .standing = is_limited ? Standing::Limited : Standing::Unlimited};
      route.answer(visit, durable_reply(parts_.store, std::move(reply)));
    });
  });
}

bool Console::is_read_only(const Person& person) const {
  return parts_.mode == ConsoleMode::ReadOnly || (person.key != nullptr && person.key->read_only);
}

void Console::as_sender(const Person& person, const std::function<void(const access::Sender&)>& use) const {
  access::AccessKey key{.id = "console", .secret = {}, .tables = {}};
  if (person.key != nullptr) key = *person.key;
  const bool is_limited_here = parts_.mode == ConsoleMode::ReadOnly;
  if (is_limited_here) key.read_only = true;
  use({.access_key = key.id, .region = parts_.region, .key = is_limited_here ? &key : person.key});
}

std::optional<Console::Person> Console::person_of(const http::Request& request) {
  if (parts_.verifier == nullptr) return Person{.key = nullptr, .page_token = token_};
  const std::string_view id = access::cookie_of(request.header("cookie"), parts_.cookie);
  std::optional<access::Session> session = id.empty() ? std::nullopt : sessions_.find(id);
  if (!session) return std::nullopt;
  const access::AccessKey* const key = parts_.verifier->credentials().find(session->who.sub);
  if (key == nullptr) return std::nullopt;
  return Person{.key = key, .page_token = std::move(session->page_token)};
}

http::Response Console::session_page(const std::optional<Person>& person) const {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("token").text(person ? person->page_token : "");
  json.name("mode").text(person && is_read_only(*person) ? "read-only" : "write");
  json.name("needsLogin").boolean(!person);
  json.name("region").text(person ? parts_.region : "");
  json.name("endpoint").text(person ? parts_.endpoint : "");
  json.name("designs").begin_list();
  const DesignList designs = person && parts_.designs != nullptr ? parts_.designs->designs() : nullptr;
  for (std::size_t i = 0; person && designs != nullptr && i < designs->size(); ++i) {
    const design::Design& design = (*designs)[i];
    if (person->key != nullptr && !person->key->may_use(design.table.name)) continue;
    json.begin_object();
    json.name("name").text(design.name);
    json.name("table").text(design.table.name);
    json.end_object();
  }
  json.end_list();
  json.name("features").begin_list();
  for (const Route& route : parts_.routes) {
    if (person && !route.feature.empty()) json.text(route.feature);
  }
  if (person && person->key != nullptr) json.text("logout");
  json.end_list();
  if (person && !parts_.upstream.empty()) json.name("upstream").text(parts_.upstream);
  json.end_object();
  return http::json_answer(std::move(body));
}

std::string Console::cookie(std::string_view id, std::string_view age) const {
  return parts_.cookie + "=" + std::string(id) +
         "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::string(age) +
         (parts_.is_secure ? "; Secure" : "");
}

http::Response Console::log_in(const http::Request& request) {
  if (request.method != "POST") return wrong_method("POST", "Log in with POST");
  if (parts_.verifier == nullptr)
    return problem_answer(404, "Nobody needs to log in: the server was started without --credentials");
  // Pages of other sites cannot send this type without asking, and are refused when they ask.
  if (!request.header("content-type").starts_with("application/json"))
    return problem_answer(415, "Send Content-Type: application/json");
  const std::string sender(http::address_of(request.peer));
  if (const std::chrono::seconds wait = attempts_.note(sender); wait.count() > 0) {
    http::Response response = problem_answer(
        429, "Too many logins from this address; try again in " + std::to_string(wait.count()) + " s");
    response.add_header("Retry-After", std::to_string(wait.count()));
    return response;
  }
  const bool is_small = request.body.size() <= kLoginBytesMax;
  const auto given = json::parse(is_small ? request.body : "");
  if (!given || !given->is_object())
    return problem_answer(400, R"(Send {"accessKeyId": "…", "secretAccessKey": "…"})");
  const access::AccessKey* const key = parts_.verifier->credentials().find(given->text_at("accessKeyId"));
  // A key that does not exist takes as long to refuse as a wrong secret.
  const bool is_right = same_secret(given->text_at("secretAccessKey"), key == nullptr ? token_ : key->secret);
  if (key == nullptr || !is_right) return problem_answer(401, "The access key or its secret is wrong");
  // A new session for every login: an id that somebody else knows is worth nothing afterwards.
  sessions_.end(access::cookie_of(request.header("cookie"), parts_.cookie));
  http::Response response{.status = 204};
  response.add_header("Set-Cookie", cookie(sessions_.begin({.sub = key->id}), kSessionSeconds));
  return response;
}

http::Response Console::log_out(const http::Request& request) {
  if (request.method != "POST") return wrong_method("POST", "Log out with POST");
  sessions_.end(access::cookie_of(request.header("cookie"), parts_.cookie));
  http::Response response{.status = 204};
  response.add_header("Set-Cookie", cookie("", "0"));
  return response;
}

}  // namespace tavola::server
