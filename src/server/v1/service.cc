#include "server/v1/service.h"

#include <algorithm>
#include <charconv>

#include "access/identity/canonical_request.h"
#include "access/permissions/item_roles.h"
#include "base/utf8.h"
#include "design/model/arguments.h"
#include "design/model/nearest.h"
#include "design/model/plain_json.h"
#include "design/requests/served_patterns.h"
#include "server/v1/entity_json.h"
#include "server/v1/index_page.h"
#include "server/v1/openapi.h"
#include "workshop/docs/docs.h"

namespace tavola::server {
namespace {

constexpr std::string_view kRoot = "/v1";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kMarkdown = "text/markdown; charset=utf-8";

http::Response text_answer(std::string body, std::string_view type) {
  return {.status = 200, .content_type = type, .body = std::move(body)};
}

http::Response no_entity(const std::string& entity) {
  return to_response({.kind = "not-found",
                      .title = "There is no such entity",
                      .status = 404,
                      .detail = "No " + entity + " has this key"});
}

bool is_get(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

Error bad_parameter(const std::string& name, std::string message) {
  return {ErrorCode::Validation, std::move(message), std::make_shared<design::BadParameter>(name)};
}

// The parameters of a query string; `limit` and `page` are separate, because every pattern has them.
struct Asked {
  std::map<std::string, std::string, std::less<>> texts;
  std::optional<std::int64_t> limit;
  std::string page;
};

Result<std::int64_t> read_limit(const std::string& text) {
  std::int64_t limit = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (problem != std::errc() || end != text.data() + text.size() || limit < 1) {
    return fail(bad_parameter("limit", "limit must be a whole number, 1 or greater (was \"" + text + "\")"));
  }
  return limit;
}

Result<Asked> read_query(std::string_view query) {
  std::string plain;  // a form encodes a blank as '+'
  for (const char c : query) plain += c == '+' ? std::string("%20") : std::string(1, c);
  Asked asked;
  for (const auto& [name, text] : access::query_parameters(plain)) {
    if (name.empty() && text.empty()) continue;
    if (!is_utf8(name)) return fail(Error::validation("The name of a parameter is not UTF-8"));
    if (!is_utf8(text)) return fail(bad_parameter(name, name + " is not UTF-8"));
    if (!asked.texts.try_emplace(name, text).second) {
      return fail(bad_parameter(name, name + " is given twice"));
    }
  }
  if (auto page = asked.texts.extract("page")) asked.page = std::move(page.mapped());
  if (const auto limit = asked.texts.extract("limit")) {
    TAVOLA_TRY(asked.limit, read_limit(limit.mapped()));
  }
  return asked;
}

Result<http::Response> ask(const runner::Runner& runner, const design::Pattern& pattern,
                           std::string_view query) {
  TAVOLA_TRY(const Asked asked, read_query(query));
  TAVOLA_TRY(Item parameters, design::from_texts(pattern.parameters, asked.texts));
  TAVOLA_TRY(
      const runner::Found found,
      runner.ask(pattern, {.parameters = std::move(parameters), .limit = asked.limit, .page = asked.page}));
  if (pattern.form != design::Pattern::Form::Get) return text_answer(page_json(found) + "\n", kJson);
  if (found.entities.empty()) return no_entity(pattern.entity.text);
  return text_answer(design::to_plain_json(found.entities.front().fields) + "\n", kJson);
}

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return std::ranges::equal(type, kJson, [](char c, char lower) { return (c | 0x20) == (lower | 0x20); });
}

Result<Item> read_body(std::string_view body) {
  if (body.empty()) return Item();
  TAVOLA_TRY(const Value given, design::parse_plain_json(body));
  if (given.type() != Type::Map) return fail(Error::validation("The body must be a JSON object"));
  return given.map();
}

// The body of an operation that left work to a background job and returns nothing else.
std::string unfinished_json(const std::string& design) {
  const Item body{
      {"unfinished", Value(true)},
      {"detail", Value("It is done, except for items that follow what was deleted: they are too many for one "
                       "transaction, and are deleted or changed in the background.")},
      {"see", Value("/admin/designs/" + design)}};
  return design::to_plain_json(body);
}

Result<http::Response> perform(const runner::Runner& runner, const design::Operation& operation,
                               const http::Request& request) {
  // A web page can make a browser send other types without a preflight request; this one needs it.
  if (!is_json(request.header("content-type"))) {
    return to_response({.kind = "wrong-type",
                        .title = "The body must be JSON",
                        .status = 415,
                        .detail = "Send Content-Type: application/json"});
  }
  TAVOLA_TRY(const Item parameters, read_body(request.body));
  TAVOLA_TRY(const runner::Done done, runner.perform(operation, parameters));
  http::Response response{.status = 204};
  if (done.entity != nullptr) {
    response = text_answer(design::to_plain_json(done.fields) + "\n", kJson);
  }
  if (done.unfinished) {
    response.status = 202;
    if (done.entity == nullptr) {
      response.content_type = kJson;
      response.body = unfinished_json(runner.design().name) + "\n";
    }
  }
  if (done.repeated) response.add_header("Idempotency-Replayed", "true");
  return response;
}

// Returns a page to be read by people or programs.
http::Response page_of(const http::Request& request, std::string body, std::string_view type) {
  return is_get(request) ? text_answer(std::move(body), type)
                         : wrong_method("GET, HEAD", "This resource is read-only");
}

constexpr std::string_view kHowToVerify =
    "this server verifies no tokens; start it with --jwt-secret-file or --jwks";

// A token that does not identify the caller.
struct BadToken : ErrorDetail {};
Error unusable_token(std::string why) {
  return {ErrorCode::InvalidSignature, std::move(why), std::make_shared<BadToken>()};
}

http::Response unsigned_answer() {
  return to_response(
      problem_of(Error(ErrorCode::MissingAuthenticationToken, "Request is missing Authentication Token")));
}

// Returns the names of all patterns and operations of a design.
std::vector<std::string> names_in(const design::Design& design) {
  std::vector<std::string> names;
  for (const design::Pattern& pattern : design.patterns) {
    if (design::is_served(pattern)) names.push_back(pattern.name);
  }
  for (const design::Operation& operation : design.operations) names.push_back(operation.name);
  return names;
}

}  // namespace

bool is_design_path(std::string_view path) {
  return path.starts_with(kRoot) && (path.size() == kRoot.size() || path[kRoot.size()] == '/');
}

DesignService::DesignService(Parts parts)
    : parts_(std::move(parts)), openapi_(openapi(parts_.designs)), index_(index_page(parts_.designs)) {}

runner::Runner DesignService::runner(const design::Design& design, Database& database) const {
  return runner::Runner({.database = database,
                         .design = design,
                         .clock = parts_.clock,
                         .random = parts_.random,
                         .secret = parts_.secret});
}

std::vector<DesignService::Route> DesignService::routes() const {
  std::vector<Route> all;
  for (const design::Design& design : parts_.designs) {
    for (const std::string& name : names_in(design)) {
      all.push_back({design.name, name, std::string(kRoot) + "/" + design.name + "/" + name});
    }
  }
  return all;
}

const design::Design* DesignService::find_design(std::string_view name) const {
  const auto found = std::ranges::find(parts_.designs, name, &design::Design::name);
  return found == parts_.designs.end() ? nullptr : &*found;
}

// One request: what is asked, by whom, and of which database.
struct DesignService::Visit {
  const http::Request& request;
  Database& database;
  const Signer& signer;
};

http::Response DesignService::answer(const http::Request& request, Database& database,
                                     const Signer& signer) const {
  // The response repeats the requested path, and JSON must be UTF-8.
  if (!is_utf8(request.path)) return unknown_name("The path is not UTF-8");
  const std::string_view path = request.path.substr(std::min(kRoot.size() + 1, request.path.size()));
  const std::size_t slash = path.find('/');
  const std::string_view name = path.substr(0, slash);
  const design::Design* const design = find_design(name);
  const bool by_role = design != nullptr && !design->roles.empty() && verifies_tokens();
  if (signer.is_needed && !signer.is_there && !by_role) return unsigned_answer();
  const Visit visit{request, database, signer};
  if (design != nullptr) {
    const std::string_view rest =
        slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    return answer_named(*design, rest, visit);
  }
  if (auto refusal = refuse_stranger(parts_.designs, visit)) return *std::move(refusal);
  if (path.empty()) return page_of(request, index_, kHtml);
  if (path == "openapi.json") return page_of(request, openapi_, kJson);
  std::vector<std::string> names;
  names.reserve(parts_.designs.size());
  for (const design::Design& one : parts_.designs) names.push_back(one.name);
  return unknown_name("There is no design " + std::string(name) + " here. " +
                      design::did_you_mean(name, names, "GET /v1/ lists them."));
}

std::optional<http::Response> DesignService::refuse_token(const http::Request& request) const {
  const std::string_view path = request.path.substr(std::min(kRoot.size() + 1, request.path.size()));
  const design::Design* const design = find_design(path.substr(0, path.find('/')));
  if (design == nullptr) return std::nullopt;
  const Result<std::shared_ptr<const Caller>> who = who_asks(*design, request, {});
  return who ? std::nullopt : std::optional(logged(*design, fail(who.error())));
}

Result<std::shared_ptr<const Caller>> DesignService::who_asks(const design::Design& design,
                                                              const http::Request& request,
                                                              const Signer& signer) const {
  const auto somebody = [](design::Identity who) {
    return std::make_shared<const Caller>(Caller{std::move(who.sub), std::move(who.groups)});
  };
  if (signer.is_there) return signer.stands_for ? somebody(*signer.stands_for) : nullptr;
  // Without token verification nobody can log in: a design without roles then has no callers.
  if (design.roles.empty() && !parts_.tokens) return nullptr;
  const std::optional<std::string_view> token = access::bearer_of(request);
  if (!token) return somebody({});
  if (!parts_.tokens)
    return fail(unusable_token("The request has a token, and " + std::string(kHowToVerify)));
  Result<design::Identity> who = parts_.tokens->verify(*token, parts_.clock.now());
  if (!who) return fail(unusable_token(who.error().message()));
  return somebody(*std::move(who));
}

http::Response DesignService::logged(const design::Design& design,
                                     const Result<http::Response>& response) const {
  if (response) return *response;
  const Error& error = response.error();
  Problem problem = problem_of(error);
  if (problem.kind == kNoTable) {
    problem.detail = "The table " + design.table.name +
                     " is missing; the server creates it at its start: restart it, or send the CreateTable "
                     "that `tavola design schema` prints";
  }
  if (error.detail<BadToken>() != nullptr) {
    problem.title = "The token does not identify you";
    problem.challenge = kBadTokenChallenge;
  }
  const auto* const forbidden = error.detail<design::Forbidden>();
  if (forbidden != nullptr && forbidden->nobody) {
    if (verifies_tokens()) {
      problem.kind = "unauthorized";
      problem.title = "Nobody is logged in";
      problem.status = 401;
      problem.challenge = kTokenChallenge;
    } else {
      problem.detail += "; " + std::string(kHowToVerify);
    }
  }
  return to_response(problem);
}

std::optional<http::Response> DesignService::refuse_stranger(std::span<const design::Design> about,
                                                             const Visit& visit) const {
  const auto design =
      std::ranges::find_if(about, [](const design::Design& one) { return !one.roles.empty(); });
  if (design == about.end() || !verifies_tokens()) return std::nullopt;
  const Result<std::shared_ptr<const Caller>> who = who_asks(*design, visit.request, visit.signer);
  if (!who) return logged(*design, fail(who.error()));
  if (*who == nullptr || !(*who)->sub.empty()) return std::nullopt;
  return logged(*design, fail(design::forbidden(
                             {}, design->name + " has roles: only logged-in persons may read about it")));
}

Result<void> DesignService::check_roles(const design::Design& design, const Caller* who, const Visit& visit) {
  if (who == nullptr && visit.signer.is_there) return {};  // an operator's key
  // A server without callers serves a table whose design cannot be applied, as it does through DynamoDB's protocol.
  if (who == nullptr && !visit.database.governing_design(design.table.name)) return {};
  TAVOLA_CHECK(access::check_decides(visit.database, design));
  const bool is_operation = visit.request.method == "POST";
  if (!is_operation || who == nullptr || design.roles.empty()) return {};
  return access::check_governed(visit.database, design.table.name);
}

http::Response DesignService::answer_named(const design::Design& design, std::string_view name,
                                           const Visit& visit) const {
  const design::Pattern* const pattern = design.find_pattern(name);
  const design::Operation* const operation = design.find_operation(name);
  if (pattern == nullptr && operation == nullptr) return answer_page(design, name, visit);
  if (pattern != nullptr && !design::is_served(*pattern)) {
    return unknown_name(pattern->name + " has no request: it is planned, or served by operations");
  }
  if (pattern != nullptr && !is_get(visit.request)) {
    return wrong_method("GET, HEAD", pattern->name + " is a pattern: use GET");
  }
  if (pattern == nullptr && visit.request.method != "POST") {
    return wrong_method("POST", operation->name + " is an operation: use POST");
  }
  const Result<std::shared_ptr<const Caller>> who = who_asks(design, visit.request, visit.signer);
  if (!who) return logged(design, fail(who.error()));
  if (auto why = parts_.why_not_yet ? parts_.why_not_yet(design) : std::nullopt)
    return not_yet(*std::move(why));
  if (const auto checked = check_roles(design, who->get(), visit); !checked)
    return logged(design, fail(checked.error()));
  const runner::Runner runner = this->runner(design, visit.database).as(*who);
  return logged(design, pattern != nullptr ? ask(runner, *pattern, visit.request.query)
                                           : perform(runner, *operation, visit.request));
}

http::Response DesignService::answer_page(const design::Design& design, std::string_view name,
                                          const Visit& visit) const {
  if (auto refusal = refuse_stranger({&design, 1}, visit)) return *std::move(refusal);
  if (name.empty()) return page_of(visit.request, index_page(design), kHtml);
  if (name == "docs.md") return page_of(visit.request, workshop::docs(design), kMarkdown);
  return unknown_name(
      design.name + " has no pattern or operation " + std::string(name) + ". " +
      design::did_you_mean(name, names_in(design), "GET /v1/" + design.name + "/ lists them."));
}

}  // namespace tavola::server
