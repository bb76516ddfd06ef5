#include "cli/endpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/governance_page.h"
#include "api/migration_page.h"
#include "api/problem.h"
#include "api/requests_page.h"
#include "base/digest.h"
#include "faults/faults_page.h"
#include "faults/faulty_database.h"
#include "faults/lagging_database.h"
#include "http/ascii.h"
#include "http/client.h"
#include "store/durable_reads.h"

namespace tavola::cli {
namespace {

constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson = "application/json";

// The largest body that /admin takes. A migration sends two designs (design::kDesignBytesMax each) as JSON strings.
constexpr std::size_t kAdminBytesMax = std::size_t{4} << 20;

http::Response too_large(std::size_t bytes) {
  return api::to_response({.kind = "too-large",
                           .title = "The request is too large",
                           .status = 413,
                           .detail = "this address takes at most " + std::to_string(kAdminBytesMax) +
                                     " bytes, and the request has " + std::to_string(bytes)});
}

http::Response plain(int status, std::string body, std::string_view type = "text/plain; charset=utf-8") {
  http::Response response;
  response.status = status;
  response.content_type = type;
  response.body = std::move(body);
  return response;
}

// "application/json ; charset=utf-8" without what comes behind the type.
std::string_view media_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const std::size_t last = type.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view() : type.substr(0, last + 1);
}

// Of an exception: somebody was not let in.
bool is_refusal(std::string_view exception) {
  constexpr std::string_view kRefusals[] = {
      "AccessDeniedException", "IncompleteSignatureException", "InvalidSignatureException",
      "MissingAuthenticationTokenException", "UnrecognizedClientException"};
  return std::ranges::find(kRefusals, exception) != std::end(kRefusals);
}

// "127.0.0.1:51234", "[::1]:51234" without the port and the brackets.
std::string address_in(std::string_view peer) {
  std::string_view address = http::address_of(peer);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  return std::string(address);
}

bool is_of_statements(std::string_view operation) {
  return operation == "ExecuteStatement" || operation == "BatchExecuteStatement" ||
         operation == "ExecuteTransaction";
}

// Whether an operation may read the durable state, because it only reads. A wrong yes is safe: whatever writes, or decides what
// to write, looks at the latest state, and this ends the DurableReads. So statements are not taken apart to know.
bool may_only_read(std::string_view operation) {
  constexpr std::string_view kReads[] = {"BatchGetItem", "DescribeTable", "GetItem",         "ListTables",
                                         "Query",        "Scan",          "TransactGetItems"};
  return is_of_statements(operation) || std::ranges::find(kReads, operation) != std::end(kReads);
}

// Calls `send` when everything that the request saw is durable: at once when it saw nothing else.
void when_seen_is_durable(store::Store& store, std::optional<store::DurableReads>& reads,
                          std::function<void(const Result<void>&)> send) {
  const bool is_durable = reads && reads->saw_only_durable();
  reads.reset();  // sending may begin the next request
  is_durable ? send({}) : store.when_durable(std::move(send));
}

}  // namespace

Endpoint::Endpoint(const Parts& parts, wire::Place place)
    : parts_(parts),
      place_(std::move(place)),
      refusals_(parts.log, LogLevel::Warning, "access refused", later()),
      failures_(parts.log, LogLevel::Error, "request failed", later()) {
  refused_ =
      &metrics_.counter("tavola_access_refused_total", "Requests whose signature or key was refused.", "");
  for (const wire::KnownOperation& operation : wire::all_operations()) {
    const std::string label = http::label("operation", operation.name);
    by_operation_.push_back(
        {&metrics_.histogram("tavola_request_seconds",
                             "Time from a whole request to its answer, by operation.", label),
         &metrics_.counter("tavola_errors_total", "Requests answered with an error, by operation.", label)});
  }
  if (parts_.faults != nullptr) {
    metrics_.also([&faults = *parts_.faults](std::string& out) { faults.append_metrics(out); });
  }
  if (parts_.designs == nullptr) return;
  of_pages_ = design_metrics("");
  for (const api::Service::Route& route : parts_.designs->routes()) {
    by_path_[route.path] =
        design_metrics(http::label("design", route.design) + "," + http::label("name", route.name));
  }
}

Endpoint::OperationMetrics Endpoint::design_metrics(std::string_view labels) {
  return {&metrics_.histogram("tavola_design_request_seconds",
                              "Time from a whole request under /v1 to its answer, by pattern or operation.",
                              labels),
          &metrics_.counter("tavola_design_errors_total",
                            "Requests under /v1 that were answered with an error, by pattern or operation.",
                            labels)};
}

void Endpoint::handle(const http::Request& request, http::Reply reply) {
  if (parts_.designs != nullptr && api::is_ours(request.path))
    return handle_design(request, std::move(reply));
  if (!api::table_of_migration_path(request.path).empty()) return handle_admin(request, std::move(reply));
  if (parts_.faults != nullptr && request.path == faults::kFaultsPath)
    return handle_admin(request, std::move(reply));
  if (parts_.counted != nullptr &&
      (api::is_requests_page(request.path) || !api::design_of_governance_path(request.path).empty()))
    return handle_admin(request, std::move(reply));
  if (request.method == "POST") return handle_operation(request, std::move(reply));
  if (request.method == "GET" || request.method == "HEAD") return handle_get(request, std::move(reply));
  reply(plain(404, "<UnknownOperationException/>\n"));
}

void Endpoint::handle_get(const http::Request& request, http::Reply reply) {
  if (request.path == "/metrics") return reply(answer_metrics(request));
  if (request.path == "/") return reply(plain(200, "healthy: " + place_.address + " "));
  if (parts_.health != nullptr && HealthPage::is_ours(request.path)) {
    return reply(parts_.health->answer(
        request.path, is_guarded() ? HealthPage::Audience::Strangers : HealthPage::Audience::Owner));
  }
  reply(plain(404,
              "There is nothing at this address. DynamoDB's operations are POST requests to /; "
              "see /health and /metrics.\n"));
}

void Endpoint::handle_operation(const http::Request& request, http::Reply reply) {
  const std::string_view type = media_type(request.header("content-type"));
  const bool json_1_0 = http::same_text(type, kJson10);
  if (!json_1_0 && !type.empty() && !http::same_text(type, kJson)) {
    return reply(plain(404, "<UnknownOperationException/>\n"));
  }
  wire::Answer refused;
  const wire::KnownOperation* operation = wire::operation_of_target(request.header("x-amz-target"), refused);
  if (operation == nullptr) return send(std::move(refused), json_1_0, std::move(reply));

  const auto started = std::chrono::steady_clock::now();
  const OperationMetrics& metrics =
      by_operation_[static_cast<std::size_t>(operation - wire::all_operations().data())];
  struct Pending {
    Answered answered;
    http::Reply reply;
  };
  std::optional<store::DurableReads> reads;
  if (may_only_read(operation->name)) reads.emplace();
  const auto pending = std::make_shared<Pending>(Pending{answer(*operation, request), std::move(reply)});
  // Errors wait too: what they tell (the item of a failed condition) must be durable as well.
  when_seen_is_durable(parts_.store, reads,
                       [this, pending, json_1_0, started, operation, &metrics](const Result<void>& durable) {
                         if (!durable) pending->answered = {.answer = wire::error_answer(durable.error())};
                         wire::Answer& told = pending->answered.answer;
                         if (!told.exception.empty()) {
                           metrics.failed->add();
                           if (is_refusal(told.exception)) note_refusal(operation->name, told.exception);
                           if (told.status >= 500 && !pending->answered.failed_on_purpose)
                             tell_failure(*operation, told);
                         }
                         auto finish = [this, pending, json_1_0, started, &metrics] {
                           metrics.seconds->observe(std::chrono::steady_clock::now() - started);
                           send(std::move(pending->answered.answer), json_1_0, std::move(pending->reply));
                         };
                         const std::chrono::milliseconds delay = pending->answered.delay;
                         if (delay.count() > 0) return delays_.after(delay, std::move(finish));
                         finish();
                       });
}

RepeatedEvent::Later Endpoint::later() {
  return [this](std::chrono::milliseconds delay, std::function<void()> task) {
    delays_.after(delay, std::move(task));
  };
}

void Endpoint::note_foreign_page(std::string_view why) const {
  refused_->add();
  refusals_.happened({{"why", why}});
}

// Logs that somebody had no right key, or one that may not do this.
void Endpoint::note_refusal(std::string_view operation, std::string_view why) const {
  if (!is_guarded()) return;
  refused_->add();
  refusals_.happened({{"operation", operation}, {"exception", why}});
}

// The log has it all. So has a client on a server without credentials, which people run for themselves; others need not
// know where this server's files are.
void Endpoint::tell_failure(const wire::KnownOperation& operation, wire::Answer& answer) const {
  failures_.happened({{"operation", operation.name}, {"answer", answer.body}});
  if (is_guarded()) answer = wire::error_answer(Error::internal("Internal server error"));
}

bool Endpoint::is_guarded() const {
  return parts_.verifier != nullptr || !parts_.metrics_token.empty() ||
         (parts_.designs != nullptr && parts_.designs->verifies_tokens());
}

std::optional<design::Identity> Endpoint::person_of(const http::Caller& caller) {
  if (caller.key == nullptr || !caller.key->stands_for_somebody()) return std::nullopt;
  return design::Identity{.sub = caller.key->sub, .groups = caller.key->groups};
}

bool Endpoint::is_limited(const http::Caller& caller) {
  return caller.key != nullptr &&
         (caller.key->read_only || !caller.key->tables.empty() || caller.key->stands_for_somebody());
}

api::ItemRoles::Parts Endpoint::roles_of(const design::Identity& person) const {
  api::ItemRoles::Parts parts{.database = parts_.database, .who = person, .clock = parts_.clock};
  if (parts_.designs != nullptr) parts.served = parts_.designs->designs();
  return parts;
}

wire::Permissions Endpoint::permissions_of(const http::Caller& caller) const {
  return wire::Permissions{.user = "arn:aws:iam::" + place_.account + ":user/" + caller.access_key,
                           .may_write = caller.may_write(),
                           .may_use = [&caller](std::string_view table) { return caller.may_use(table); },
                           .may_use_every_table = caller.key == nullptr || caller.key->tables.empty()};
}

wire::Visit Endpoint::visit_of(const http::Caller& caller, const http::Request& request) const {
  const bool is_local = request.peer == "unix";
  return {.user_name = caller.access_key,
          .address = is_local ? std::string() : address_in(request.peer),
          .is_encrypted = parts_.uses_tls && !is_local,
          .now = parts_.clock.now(),
          .knows_user = [verifier = parts_.verifier](std::string_view user) {
            return verifier != nullptr && verifier->credentials().find(user) != nullptr;
          }};
}

Endpoint::Answered Endpoint::answer(const wire::KnownOperation& operation, const http::Request& request) {
  const Result<http::Caller> caller = parts_.verifier != nullptr
                                          ? parts_.verifier->verify(request, parts_.clock.now())
                                          : http::well_formed(request);
  if (!caller) return {.answer = wire::error_answer(caller.error())};
  std::optional<faults::LaggingDatabase> lagging;
  if (parts_.past != nullptr && parts_.faults->has_index_lag()) {
    lagging.emplace(parts_.database, *parts_.faults, *parts_.past);
  }
  Database& database = lagging ? static_cast<Database&>(*lagging) : parts_.database;
  if (caller->key == nullptr) return run(operation, database, request.body);
  return answer_known(operation, request, *caller, database);
}

Endpoint::Answered Endpoint::answer_known(const wire::KnownOperation& operation, const http::Request& request,
                                          const http::Caller& caller, Database& database) {
  wire::Visit visit = visit_of(caller, request);
  visit.is_statement = is_of_statements(operation.name);
  wire::Permissions permissions = permissions_of(caller);
  permissions.visit = &visit;
  permissions.policies = &policies_;
  const auto person = person_of(caller);
  if (person) permissions.caller = std::make_shared<const Caller>(Caller{person->sub, person->groups});
  std::optional<api::ItemRoles> roles;
  if (person) permissions.items = &roles.emplace(roles_of(*person));
  wire::RestrictedDatabase restricted(database, permissions, place_);
  return run(operation, restricted, request.body);
}

Endpoint::Answered Endpoint::run(const wire::KnownOperation& operation, Database& database,
                                 std::string_view body) const {
  if (parts_.faults == nullptr || parts_.faults->is_quiet()) {
    return {.answer = wire::run(operation, database, place_, body)};
  }
  faults::FaultyDatabase faulty(database, *parts_.faults);
  Answered answered{.answer = wire::run(operation, faulty, place_, body)};
  answered.delay = std::min(faulty.delay(), faults::kDelayMax);  // of a batch of statements
  answered.failed_on_purpose = faulty.failed_on_purpose();
  return answered;
}

void Endpoint::tell_failure(std::string_view path, http::Response& response) const {
  failures_.happened({{"path", path}, {"answer", response.body}});
  if (!is_guarded()) return;
  response = api::to_response({.kind = "failed", .title = "The server failed", .status = response.status});
}

void Endpoint::handle_design(const http::Request& request, http::Reply reply) {
  struct Pending {
    std::string path;
    http::Response response;
    http::Reply reply;
  };
  const auto started = std::chrono::steady_clock::now();
  const auto found = by_path_.find(request.path);
  const OperationMetrics& metrics = found == by_path_.end() ? of_pages_ : found->second;
  std::optional<store::DurableReads> reads;
  if (request.method != "POST") reads.emplace();  // operations are posted
  const auto pending =
      std::make_shared<Pending>(Pending{std::string(request.path), answer_design(request), std::move(reply)});
  when_seen_is_durable(parts_.store, reads, [this, pending, started, &metrics](const Result<void>& durable) {
    http::Response& response = pending->response;
    if (!durable) response = api::to_response(api::problem_of(durable.error()));
    if (response.status >= 400) metrics.failed->add();
    if (response.status == 401) note_refusal(pending->path, "unauthorized");
    if (response.status == 403) note_refusal(pending->path, "forbidden");
    // 503 asks to try again: nothing failed.
    if (response.status >= 500 && response.status != 503) tell_failure(pending->path, response);
    metrics.seconds->observe(std::chrono::steady_clock::now() - started);
    pending->reply(std::move(response));
  });
}

http::Response Endpoint::answer_design(const http::Request& request) const {
  if (parts_.verifier == nullptr) return parts_.designs->answer(request, parts_.database);
  // A token says who asks as well as a signature does; where neither is there, roles say what everybody may do.
  if (parts_.designs->verifies_tokens() && !http::has_signature(request)) {
    return parts_.designs->answer(request, parts_.database, {.is_needed = true});
  }
  const Result<http::Caller> caller = parts_.verifier->verify(request, parts_.clock.now());
  if (!caller) return api::to_response(api::problem_of(caller.error()));
  const api::Signer signer{.is_needed = true, .is_there = true, .stands_for = person_of(*caller)};
  const wire::Visit visit = visit_of(*caller, request);
  wire::Permissions permissions = permissions_of(*caller);
  permissions.visit = &visit;
  permissions.policies = &policies_;
  wire::RestrictedDatabase restricted(parts_.database, permissions, place_);
  return parts_.designs->answer(request, restricted, signer);
}

std::optional<http::Response> Endpoint::refuse_limited(const http::Request& request) const {
  const Result<http::Caller> caller = parts_.verifier->verify(request, parts_.clock.now());
  if (!caller) return api::to_response(api::problem_of(caller.error()));
  if (!is_limited(*caller)) return std::nullopt;
  return api::to_response(api::problem_of(
      Error(ErrorCode::AccessDenied, "this key is limited, and the page tells of all that is asked")));
}

// Names every pattern and operation of the designs, with how often each is asked.
http::Response Endpoint::answer_metrics(const http::Request& request) const {
  const std::string& wanted = parts_.metrics_token;
  const std::optional<std::string_view> token = api::bearer_of(request);
  std::optional<http::Response> refusal;
  if (wanted.empty() || (token && same_secret(*token, wanted))) {
    // Nobody is refused, or Prometheus asks.
  } else if (parts_.verifier != nullptr && http::has_signature(request)) {
    refusal = refuse_limited(request);
  } else {
    refusal = api::to_response(
        {.kind = "unauthorized",
         .title = "The token of the metrics is missing or wrong",
         .status = 401,
         .detail = "Send the token in the file of --metrics-auth, as Authorization: Bearer TOKEN",
         .challenge = api::kTokenChallenge});
  }
  if (!refusal) return plain(200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8");
  note_refusal(request.path, refusal->status == 401 ? "unauthorized" : "forbidden");
  return *std::move(refusal);
}

// Shows items, as examples, and changes how designs are kept: whoever may not use every table may not use it.
http::Response Endpoint::answer_admin(const http::Request& request) const {
  if (request.body.size() > kAdminBytesMax) return too_large(request.body.size());
  if (parts_.verifier != nullptr) {
    if (auto refusal = refuse_limited(request)) return *std::move(refusal);
  }
  if (!api::table_of_migration_path(request.path).empty())
    return api::migration_page(request, parts_.database);
  if (request.path == faults::kFaultsPath) return faults::faults_page(request, *parts_.faults);
  if (api::is_requests_page(request.path)) return api::requests_page(request, *parts_.counted);
  return api::governance_page(request, parts_.designs->designs(), parts_.database);
}

void Endpoint::handle_admin(const http::Request& request, http::Reply reply) {
  struct Pending {
    std::string path;
    http::Response response;
    http::Reply reply;
  };
  const auto pending =
      std::make_shared<Pending>(Pending{std::string(request.path), answer_admin(request), std::move(reply)});
  parts_.store.when_durable([this, pending](const Result<void>& durable) {
    http::Response& response = pending->response;
    if (!durable) response = api::to_response(api::problem_of(durable.error()));
    if (response.status >= 500 && response.status != 503) tell_failure(pending->path, response);
    pending->reply(std::move(response));
  });
}

bool Endpoint::needs_signature(const http::Request& request) const {
  if (parts_.verifier == nullptr) return false;
  if (parts_.designs != nullptr && api::is_ours(request.path)) {
    return !parts_.designs->verifies_tokens() || http::has_signature(request);
  }
  return request.method == "POST" || request.path.starts_with("/admin");
}

// In the form of what the request asks for.
http::Response Endpoint::refusal_of(const http::Request& request, const Error& why) const {
  note_refusal(request.path, exception_name(why.code()));
  const bool is_operation = request.method == "POST" && !request.path.starts_with("/admin") &&
                            !(parts_.designs != nullptr && api::is_ours(request.path));
  if (!is_operation) return api::to_response(api::problem_of(why));
  return to_response(wire::error_answer(why),
                     http::same_text(media_type(request.header("content-type")), kJson10));
}

std::optional<http::Response> Endpoint::refuse_head(const http::Request& request) const {
  if (needs_signature(request)) {
    const Result<void> checked = parts_.verifier->check_head(request, parts_.clock.now());
    return checked ? std::nullopt : std::optional(refusal_of(request, checked.error()));
  }
  const bool is_of_design = parts_.designs != nullptr && api::is_ours(request.path);
  if (parts_.verifier != nullptr && (!is_of_design || request.method != "POST")) {
    // Only signed requests and operations of designs have bodies. Strangers shall not fill the memory with others.
    return plain(413, "A body is not allowed here.\n");
  }
  if (!is_of_design) return std::nullopt;
  auto refusal = parts_.designs->refuse_token(request);
  if (refusal) note_refusal(request.path, "unauthorized");
  return refusal;
}

// Answers a request whose body nobody reads, or whose sender does not say who it is. It is not signed.
std::optional<http::Response> Endpoint::refuse_unsigned_payload(const http::Request& request) const {
  const bool is_of_design = parts_.designs != nullptr && api::is_ours(request.path);
  if (!is_of_design) {
    return parts_.verifier == nullptr ? std::nullopt
                                      : std::optional(plain(404, "<UnknownOperationException/>\n"));
  }
  if (!by_path_.contains(request.path)) return answer_design(request);
  if (api::bearer_of(request)) return refuse_head(request);
  note_refusal(request.path, "unauthorized");
  return api::to_response({.kind = "unauthorized",
                           .title = "Compressed bodies are taken from known senders only",
                           .status = 401,
                           .detail = "Log in and send your token, or send the body without Content-Encoding",
                           .challenge = api::kTokenChallenge});
}

std::optional<http::Response> Endpoint::refuse_payload(const http::Request& request) const {
  if (!needs_signature(request)) return refuse_unsigned_payload(request);
  const Result<http::Caller> caller = parts_.verifier->verify(request, parts_.clock.now());
  return caller ? std::nullopt : std::optional(refusal_of(request, caller.error()));
}

http::Response Endpoint::to_response(wire::Answer answer, bool json_1_0) const {
  http::Response response;
  response.status = answer.status;
  response.content_type = json_1_0 ? kJson10 : kJson;
  response.body = std::move(answer.body);
  response.crc32 = true;
  response.add_header("x-amzn-RequestId", request_ids_.next());
  return response;
}

void Endpoint::send(wire::Answer answer, bool json_1_0, http::Reply reply) const {
  reply(to_response(std::move(answer), json_1_0));
}

}  // namespace tavola::cli
