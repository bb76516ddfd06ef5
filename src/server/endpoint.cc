#include "server/endpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "access/permissions/sender.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "server/admin/branches_page.h"
#include "server/admin/faults_page.h"
#include "server/admin/governance_page.h"
#include "server/admin/import_page.h"
#include "server/admin/migration_page.h"
#include "server/admin/requests_page.h"
#include "server/admin/table_design_page.h"
#include "server/v1/problem.h"
#include "store/durable_reads.h"
#include "wire/codec/maintenance_header.h"

namespace tavola::server {
namespace {

// Begins the target of an operation that only another server may know. Those of streams are all known.
constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";

constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson = "application/json";

// The largest body that /admin takes. A migration sends two designs (design::kDesignBytesMax each) as JSON strings.
constexpr std::size_t kAdminBytesMax = std::size_t{4} << 20;

http::Response too_large(std::size_t bytes) {
  return to_response({.kind = "too-large",
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

// Returns whether the exception refuses a caller.
bool is_refusal(std::string_view exception) {
  constexpr std::string_view kRefusals[] = {
      "AccessDeniedException", "IncompleteSignatureException", "InvalidSignatureException",
      "MissingAuthenticationTokenException", "UnrecognizedClientException"};
  return std::ranges::find(kRefusals, exception) != std::end(kRefusals);
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

// Returns whether a tool moves a whole table (wire/codec/maintenance_header.h).
bool is_as_is(const http::Request& request) {
  return request.header(wire::kMaintenanceHeader) == wire::kAsIs;
}

// Calls `send` when everything that the request saw is durable: at once when it saw nothing else.
void when_seen_is_durable(store::Store& store, std::optional<store::DurableReads>& reads,
                          std::function<void(const Result<void>&)> send) {
  const bool is_durable = reads && reads->saw_only_durable();
  reads.reset();  // sending may begin the next request
  is_durable ? send({}) : store.when_durable(std::move(send));
}

}  // namespace

Endpoint::Endpoint(const Parts& parts, ServerIdentity identity)
    : parts_(parts),
      identity_(std::move(identity)),
      others_(identity_, parts.sts_verifier),
      routes_(make_routes()),
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
  if (parts_.faults.faults != nullptr) {
    metrics_.also([&faults = *parts_.faults.faults](std::string& out) { faults.append_metrics(out); });
  }
  if (parts_.isolation != nullptr)
    metrics_.also([&isolation = *parts_.isolation](std::string& out) { isolation.append_metrics(out); });
  if (parts_.designs == nullptr) return;
  of_pages_ = design_metrics("");
  add_routes(*parts_.designs->service());
}

void Endpoint::add_routes(const DesignService& service) {
  const ExclusiveLock lock(paths_mutex_);
  for (const DesignService::Route& route : service.routes()) {
    if (by_path_.contains(route.path)) continue;
    by_path_[route.path] =
        design_metrics(http::label("design", route.design) + "," + http::label("name", route.name));
  }
}

const Endpoint::OperationMetrics* Endpoint::find_path(std::string_view path) const {
  const SharedLock lock(paths_mutex_);
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

Endpoint::OperationMetrics Endpoint::design_metrics(std::string_view labels) {
  return {&metrics_.histogram("tavola_design_request_seconds",
                              "Time from a whole request under /v1 to its answer, by pattern or operation.",
                              labels),
          &metrics_.counter("tavola_design_errors_total",
                            "Requests under /v1 that were answered with an error, by pattern or operation.",
                            labels)};
}

std::vector<Endpoint::Route> Endpoint::make_routes() const {
  std::vector<Route> routes;
  if (parts_.designs != nullptr) routes.push_back({Area::Design, is_design_path});
  if (parts_.design_changes != nullptr) {
    routes.push_back({Area::Admin, [](std::string_view path) { return !table_of_design_path(path).empty(); },
                      [this](const http::Request& request) {
                        return table_design_page(request, *parts_.design_changes);
                      }});
  }
  routes.push_back(
      {Area::Admin, [](std::string_view path) { return !table_of_migration_path(path).empty(); },
       [this](const http::Request& request) { return migration_page(request, parts_.database); }});
  if (parts_.adoptions != nullptr) {
    routes.push_back({Area::Admin, [](std::string_view path) { return !table_of_import_path(path).empty(); },
                      [this](const http::Request& request) {
                        return import_page(request, parts_.database, *parts_.adoptions);
                      }});
  }
  if (parts_.faults.faults != nullptr) {
    routes.push_back(
        {Area::Admin, [](std::string_view path) { return path == kFaultsPath; },
         [this](const http::Request& request) { return faults_page(request, *parts_.faults.faults); }});
  }
  routes.push_back({Area::Admin, [](std::string_view path) { return path == kClockPath; },
                    [this](const http::Request& request) { return clock_page(request, parts_.test_time); }});
  routes.push_back({Area::Admin, is_branches_path,
                    [this](const http::Request& request) { return branches_page(request, parts_.branches); },
                    true});
  if (parts_.traffic != nullptr) {
    routes.push_back({Area::Admin, is_requests_page, [this](const http::Request& request) {
                        return requests_page(request, *parts_.traffic);
                      }});
    routes.push_back({Area::Admin,
                      [](std::string_view path) { return !design_of_governance_path(path).empty(); },
                      [this](const http::Request& request) {
                        const DesignList designs = parts_.designs->designs();
                        return governance_page(request, {*designs, parts_.database, *parts_.adoptions});
                      }});
  }
  return routes;
}

const Endpoint::Route* Endpoint::route_of(std::string_view path) const {
  const auto found = std::ranges::find_if(routes_, [path](const Route& route) { return route.has(path); });
  return found == routes_.end() ? nullptr : &*found;
}

bool Endpoint::is_of_design(const http::Request& request) const {
  const Route* const route = route_of(request.path);
  return route != nullptr && route->area == Area::Design;
}

void Endpoint::handle(const http::Request& request, http::Reply reply) {
  const Result<std::optional<WallTime>> time = time_of(request, parts_.test_time);
  if (!time) return reply(error_of(request, time.error()));
  const SettableClock::ForRequest at(*time);
  if (is_for_others(request)) return reply(others_.answer(request, parts_.clock.now()));
  handle_by_path(request, std::move(reply));
}

void Endpoint::perform(const access::Sender& sender, const http::Request& request, http::Reply reply) {
  const Asked asked{request, &sender, recorder_.is_recording()};
  is_of_design(request) ? handle_design(asked, std::move(reply)) : handle_operation(asked, std::move(reply));
}

void Endpoint::handle_by_path(const http::Request& request, http::Reply reply) {
  if (const Route* const route = route_of(request.path)) {
    return route->area == Area::Design
               ? handle_design({request, nullptr, recorder_.is_recording()}, std::move(reply))
               : handle_admin(*route, request, std::move(reply));
  }
  if (request.method == "POST")
    return handle_operation({request, nullptr, recorder_.is_recording()}, std::move(reply));
  if (request.method == "GET" || request.method == "HEAD") return handle_get(request, std::move(reply));
  reply(plain(404, "<UnknownOperationException/>\n"));
}

void Endpoint::handle_get(const http::Request& request, http::Reply reply) {
  if (request.path == "/metrics") return reply(answer_metrics(request));
  if (request.path == "/") return reply(plain(200, "healthy: " + identity_.address + " "));
  if (parts_.health != nullptr && HealthPage::is_ours(request.path)) {
    return reply(parts_.health->answer(
        request.path, is_guarded() ? HealthPage::Audience::Strangers : HealthPage::Audience::Owner));
  }
  reply(plain(404,
              "There is nothing at this address. DynamoDB's operations are POST requests to /; "
              "see /health and /metrics.\n"));
}

std::optional<Endpoint::Recorded> Endpoint::recorded(const Asked& asked) const {
  if (!asked.is_recorded) return std::nullopt;
  return Recorded{asked.request, asked.sender == nullptr ? std::string() : asked.sender->access_key};
}

void Endpoint::record(const std::optional<Recorded>& recorded, const Performed& performed) const {
  if (!recorded) return;
  record_answer(recorder_, {.request = recorded->request,
                            .operation = performed.operation,
                            .console_sender = recorded->console_sender,
                            .status = performed.status,
                            .answer = performed.answer,
                            .exception = performed.exception,
                            .started = performed.started,
                            .ended = performed.ended,
                            .cost = performed.cost});
}

void Endpoint::handle_operation(const Asked& asked, http::Reply reply) {
  const http::Request& request = asked.request;
  const std::string_view type = media_type(request.header("content-type"));
  const bool json_1_0 = same_text(type, kJson10);
  if (!json_1_0 && !type.empty() && !same_text(type, kJson)) {
    return reply(plain(404, "<UnknownOperationException/>\n"));
  }
  wire::Answer refused;
  const wire::KnownOperation* operation = wire::operation_of_target(request.header("x-amz-target"), refused);
  const auto started = std::chrono::steady_clock::now();
  if (operation == nullptr) {
    refused = answer_unknown(asked, std::move(refused));
    record(recorded(asked), {.status = refused.status,
                             .answer = refused.body,
                             .exception = refused.exception,
                             .started = started});
    return send(std::move(refused), json_1_0, std::move(reply));
  }
  const OperationMetrics& metrics =
      by_operation_[static_cast<std::size_t>(operation - wire::all_operations().data())];
  struct Pending {
    Answered answered;
    http::Reply reply;
    std::optional<Recorded> recorded;
  };
  std::optional<store::DurableReads> reads;
  if (may_only_read(operation->name)) reads.emplace();
  const auto pending =
      std::make_shared<Pending>(Pending{answer(*operation, asked), std::move(reply), recorded(asked)});
  const std::shared_ptr<Isolation::Own> own = pending->answered.own;
  // Errors wait too: what they show (the item of a failed condition) must be durable as well.
  when_seen_is_durable(own == nullptr ? parts_.store : own->store(), reads,
                       [this, pending, json_1_0, started, operation, &metrics](const Result<void>& durable) {
                         if (!durable) pending->answered = {.answer = wire::error_answer(durable.error())};
                         wire::Answer& answer = pending->answered.answer;
                         if (!answer.exception.empty()) {
                           metrics.failed->add();
                           if (is_refusal(answer.exception)) note_refusal(operation->name, answer.exception);
                           if (answer.status >= 500 && !pending->answered.failed_on_purpose)
                             log_failure(*operation, answer);
                         }
                         auto finish = [this, pending, json_1_0, started, operation, &metrics] {
                           const auto ended = std::chrono::steady_clock::now();
                           metrics.seconds->observe(ended - started);
                           const wire::Answer& sent = pending->answered.answer;
                           record(pending->recorded, {operation->name, pending->answered.cost, sent.status,
                                                      sent.body, sent.exception, started, ended});
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
void Endpoint::log_failure(const wire::KnownOperation& operation, wire::Answer& answer) const {
  failures_.happened({{"operation", operation.name}, {"answer", answer.body}});
  if (is_guarded()) answer = wire::error_answer(Error::internal("Internal server error"));
}

bool Endpoint::is_guarded() const {
  return parts_.verifier != nullptr || !parts_.metrics_token.empty() ||
         (parts_.designs != nullptr && parts_.designs->service()->verifies_tokens());
}

DesignList Endpoint::served_designs() const {
  static const DesignList kNone = std::make_shared<const std::vector<design::Design>>();
  return parts_.designs == nullptr ? kNone : parts_.designs->designs();
}

access::ItemRoles::Parts Endpoint::roles_of(const design::Identity& person,
                                            std::span<const design::Design> served) const {
  return {.database = parts_.database, .who = person, .served = served, .clock = parts_.design_clock};
}

access::Visit Endpoint::visit_of(const access::Sender& sender, const http::Request& request) const {
  return access::visit_of(
      sender, request, {.now = parts_.clock.now(), .uses_tls = parts_.uses_tls, .verifier = parts_.verifier});
}

void Endpoint::evaluate_policies(access::Permissions& permissions, const access::Visit& visit) const {
  // The upstream server evaluates them, for the credentials of this one. A server that asks nobody for credentials has no users.
  if (parts_.upstream != nullptr || parts_.verifier == nullptr) return;
  permissions.visit = &visit;
  permissions.policies = &policies_;
}

Database& Endpoint::database_for(const Asked& asked) const {
  const bool is_of_program =
      asked.sender == nullptr && asked.request.header(wire::kMaintenanceHeader).empty();
  return is_of_program || parts_.traffic == nullptr ? parts_.database : parts_.traffic->uncounted();
}

Result<access::Sender> Endpoint::sender_of(const Asked& asked) const {
  if (asked.sender != nullptr) return *asked.sender;
  return parts_.verifier != nullptr ? parts_.verifier->verify(asked.request, parts_.clock.now())
                                    : access::well_formed(asked.request);
}

Endpoint::Answered Endpoint::answer(const wire::KnownOperation& operation, const Asked& asked) {
  const RequestGate::Passage passage(gate());
  const http::Request& request = asked.request;
  const Result<access::Sender> sender = sender_of(asked);
  if (!sender) return {.answer = wire::error_answer(sender.error())};
  if (forwards(operation, request.body, *sender)) return {.answer = parts_.upstream->forward(request)};
  if (parts_.isolation != nullptr) return answer_alone(operation, asked, *sender);
  RequestStack stack(database_for(asked), parts_.faults);
  return answer_on(stack, operation, asked, *sender);
}

Endpoint::Answered Endpoint::answer_on(RequestStack& stack, const wire::KnownOperation& operation,
                                       const Asked& asked, const access::Sender& sender) {
  if (sender.key != nullptr) return answer_known(operation, asked, sender, stack);
  if (is_as_is(asked.request)) stack.take_as_is();
  return run(operation, stack, asked);
}

Endpoint::Answered Endpoint::answer_alone(const wire::KnownOperation& operation, const Asked& asked,
                                          const access::Sender& sender) {
  auto own = parts_.isolation->database_of(sender);
  if (!own) return {.answer = wire::error_answer(own.error())};
  // Views of the past are those of the shared database.
  RequestStack stack((*own)->engine(), {.faults = parts_.faults.faults, .past = nullptr});
  Answered answered = answer_on(stack, operation, asked, sender);
  answered.own = *std::move(own);
  return answered;
}

bool Endpoint::forwards(const wire::KnownOperation& operation, std::string_view body,
                        const access::Sender& sender) const {
  const bool meets_faults = parts_.faults.faults != nullptr && !parts_.faults.faults->is_quiet();
  return parts_.upstream != nullptr && !meets_faults &&
         parts_.upstream->forwards({operation.name, body}, sender);
}

wire::Answer Endpoint::answer_unknown(const Asked& asked, wire::Answer unknown) const {
  const http::Request& request = asked.request;
  const std::string_view target = request.header("x-amz-target");
  const bool may_exist = target.starts_with(kTargetPrefix) &&
                         wire::find_operation(target.substr(kTargetPrefix.size())) == nullptr;
  if (parts_.upstream == nullptr || !may_exist) return unknown;
  if (parts_.verifier == nullptr && asked.sender == nullptr) return parts_.upstream->forward(request);
  const Result<access::Sender> sender = sender_of(asked);
  if (!sender) return wire::error_answer(sender.error());
  if (!access::is_limited(*sender)) return parts_.upstream->forward(request);
  return wire::error_answer(
      Error(ErrorCode::AccessDenied,
            "this key is limited, and only keys without limits may use an operation that "
            "Tavola does not know"));
}

Endpoint::Answered Endpoint::answer_known(const wire::KnownOperation& operation, const Asked& asked,
                                          const access::Sender& sender, RequestStack& stack) {
  const http::Request& request = asked.request;
  access::Visit visit = visit_of(sender, request);
  visit.is_statement = is_of_statements(operation.name);
  access::Permissions permissions = access::permissions_of(sender, identity_);
  evaluate_policies(permissions, visit);
  const auto person = access::person_of(sender);
  if (person) permissions.caller = std::make_shared<const Caller>(Caller{person->sub, person->groups});
  std::optional<access::ItemRoles> roles;
  const DesignList served = served_designs();
  if (person) permissions.items = &roles.emplace(roles_of(*person, *served));
  stack.restrict_to(permissions, identity_);
  // The roles of a person decide table by table.
  if (is_as_is(request) && (person || !access::is_limited(sender))) stack.take_as_is();
  return run(operation, stack, asked);
}

void Endpoint::with_database(const access::Sender& sender, const http::Request& request,
                             const std::function<void(Database&)>& use) {
  const RequestGate::Passage passage(gate());
  RequestStack stack(database_for({request, &sender}));
  if (sender.key == nullptr) return use(stack.top());
  const access::Visit visit = visit_of(sender, request);
  access::Permissions permissions = access::permissions_of(sender, identity_);
  evaluate_policies(permissions, visit);
  std::optional<access::ItemRoles> roles;
  const DesignList served = served_designs();
  const auto person = access::person_of(sender);
  if (person) {
    permissions.caller = std::make_shared<const Caller>(Caller{person->sub, person->groups});
    permissions.items = &roles.emplace(roles_of(*person, *served));
  }
  stack.restrict_to(permissions, identity_);
  use(stack.top());
}

Endpoint::Answered Endpoint::run(const wire::KnownOperation& operation, RequestStack& stack,
                                 const Asked& asked) const {
  stack.add_faults();
  if (asked.is_recorded) stack.measure();
  Answered answered{.answer = wire::run(operation, stack.top(), identity_, asked.request.body)};
  answered.cost = stack.cost();
  answered.delay = stack.delay();
  answered.failed_on_purpose = stack.failed_on_purpose();
  return answered;
}

void Endpoint::log_failure(std::string_view path, http::Response& response) const {
  failures_.happened({{"path", path}, {"answer", response.body}});
  if (!is_guarded()) return;
  response = to_response({.kind = "failed", .title = "The server failed", .status = response.status});
}

void Endpoint::handle_design(const Asked& asked, http::Reply reply) {
  const http::Request& request = asked.request;
  struct Pending {
    std::string path;
    http::Response response;
    http::Reply reply;
    std::optional<Recorded> recorded;
    RequestCost cost;
  };
  const auto started = std::chrono::steady_clock::now();
  const OperationMetrics* const found = find_path(request.path);
  const OperationMetrics& metrics = found == nullptr ? of_pages_ : *found;
  std::optional<store::DurableReads> reads;
  if (request.method != "POST") reads.emplace();  // operations are posted
  RequestStack stack(parts_.database);
  const auto pending = std::make_shared<Pending>(
      Pending{std::string(request.path), answer_v1(asked, stack), std::move(reply), recorded(asked), {}});
  pending->cost = stack.cost();
  when_seen_is_durable(parts_.store, reads, [this, pending, started, &metrics](const Result<void>& durable) {
    http::Response& response = pending->response;
    if (!durable) response = to_response(problem_of(durable.error()));
    if (response.status >= 400) metrics.failed->add();
    if (response.status == 401) note_refusal(pending->path, "unauthorized");
    if (response.status == 403) note_refusal(pending->path, "forbidden");
    // 503 asks to try again: nothing failed.
    if (response.status >= 500 && response.status != 503) log_failure(pending->path, response);
    const auto ended = std::chrono::steady_clock::now();
    metrics.seconds->observe(ended - started);
    record(pending->recorded, {{}, pending->cost, response.status, response.body, {}, started, ended});
    pending->reply(std::move(response));
  });
}

http::Response Endpoint::answer_v1(const Asked& asked, RequestStack& stack) const {
  const RequestGate::Passage passage(gate());
  const http::Request& request = asked.request;
  if (asked.is_recorded) stack.measure();
  const std::shared_ptr<const DesignService> service = parts_.designs->service();
  if (parts_.verifier == nullptr && asked.sender == nullptr) return service->answer(request, stack.top());
  // A token says who asks as well as a signature does; where neither is there, roles say what everybody may do.
  if (service->verifies_tokens() && asked.sender == nullptr && !access::has_signature(request)) {
    return service->answer(request, stack.top(), {.is_needed = true});
  }
  const Result<access::Sender> sender = sender_of(asked);
  if (!sender) return to_response(problem_of(sender.error()));
  const Signer signer{.is_needed = true, .is_there = true, .stands_for = access::person_of(*sender)};
  const access::Visit visit = visit_of(*sender, request);
  access::Permissions permissions = access::permissions_of(*sender, identity_);
  evaluate_policies(permissions, visit);
  stack.restrict_to(permissions, identity_);
  return service->answer(request, stack.top(), signer);
}

std::optional<http::Response> Endpoint::refuse_limited(const http::Request& request) const {
  const Result<access::Sender> sender = parts_.verifier->verify(request, parts_.clock.now());
  if (!sender) return to_response(problem_of(sender.error()));
  if (!access::is_limited(*sender)) return std::nullopt;
  return to_response(
      problem_of(Error(ErrorCode::AccessDenied,
                       "this key is limited to some tables; the page shows requests on every table")));
}

// Names every pattern and operation of the designs, with how often each is asked.
http::Response Endpoint::answer_metrics(const http::Request& request) const {
  const std::string& wanted = parts_.metrics_token;
  const std::optional<std::string_view> token = access::bearer_of(request);
  std::optional<http::Response> refusal;
  if (wanted.empty() || (token && same_secret(*token, wanted))) {
    // Nobody is refused, or Prometheus asks.
  } else if (parts_.verifier != nullptr && access::has_signature(request)) {
    refusal = refuse_limited(request);
  } else {
    refusal =
        to_response({.kind = "unauthorized",
                     .title = "The token of the metrics is missing or wrong",
                     .status = 401,
                     .detail = "Send the token in the file of --metrics-auth, as Authorization: Bearer TOKEN",
                     .challenge = kTokenChallenge});
  }
  if (!refusal) return plain(200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8");
  note_refusal(request.path, refusal->status == 401 ? "unauthorized" : "forbidden");
  return *std::move(refusal);
}

// People whose role has `import` may have their table checked.
bool Endpoint::may_check_import(const http::Request& request) const {
  const std::string_view table = table_of_import_path(request.path);
  if (table.empty()) return false;
  const Result<access::Sender> sender = parts_.verifier->verify(request, parts_.clock.now());
  const std::optional<design::Identity> person = sender ? access::person_of(*sender) : std::nullopt;
  const DesignList served = served_designs();
  return person && access::ItemRoles(roles_of(*person, *served)).may_import(table);
}

// Shows items, as examples, and changes how designs are enforced: only callers that may use every table may use it.
http::Response Endpoint::answer_admin(const Route& route, const http::Request& request) const {
  if (request.body.size() > kAdminBytesMax) return too_large(request.body.size());
  if (parts_.verifier != nullptr && !may_check_import(request)) {
    if (auto refusal = refuse_limited(request)) return *std::move(refusal);
  }
  const RequestGate::Passage passage(route.replaces_state ? nullptr : gate());
  return route.answer(request);
}

void Endpoint::handle_admin(const Route& route, const http::Request& request, http::Reply reply) {
  struct Pending {
    std::string path;
    http::Response response;
    http::Reply reply;
  };
  const auto pending = std::make_shared<Pending>(
      Pending{std::string(request.path), answer_admin(route, request), std::move(reply)});
  parts_.store.when_durable([this, pending](const Result<void>& durable) {
    http::Response& response = pending->response;
    if (!durable) response = to_response(problem_of(durable.error()));
    if (response.status >= 500 && response.status != 503) log_failure(pending->path, response);
    pending->reply(std::move(response));
  });
}

bool Endpoint::needs_signature(const http::Request& request) const {
  if (parts_.verifier == nullptr) return false;
  if (is_of_design(request)) {
    return !parts_.designs->service()->verifies_tokens() || access::has_signature(request);
  }
  return request.method == "POST" || request.path.starts_with("/admin");
}

http::Response Endpoint::refusal_of(const http::Request& request, const Error& why) const {
  note_refusal(request.path, exception_name(why.code()));
  http::Response response = error_of(request, why);
  wire::Answer unknown;
  const wire::KnownOperation* const operation =
      wire::operation_of_target(request.header("x-amz-target"), unknown);
  record(recorded({request, nullptr, recorder_.is_recording()}),
         {.operation = operation == nullptr ? std::string_view() : operation->name,
          .status = response.status,
          .answer = response.body,
          .exception = exception_name(why.code()),
          .started = std::chrono::steady_clock::now()});
  return response;
}

http::Response Endpoint::error_of(const http::Request& request, const Error& why) const {
  const bool is_operation =
      request.method == "POST" && !request.path.starts_with("/admin") && !is_of_design(request);
  if (!is_operation) return to_response(problem_of(why));
  return operation_response(wire::error_answer(why),
                            same_text(media_type(request.header("content-type")), kJson10));
}

std::optional<http::Response> Endpoint::refuse_head(const http::Request& request) const {
  if (is_for_others(request)) return others_.refuse_head(request, parts_.clock.now());
  if (needs_signature(request)) {
    const Result<void> checked = parts_.verifier->check_head(request, parts_.clock.now());
    return checked ? std::nullopt : std::optional(refusal_of(request, checked.error()));
  }
  const bool of_design = is_of_design(request);
  if (parts_.verifier != nullptr && (!of_design || request.method != "POST")) {
    // Only signed requests and operations of designs have bodies. Strangers shall not fill the memory with others.
    return plain(413, "A body is not allowed here.\n");
  }
  if (!of_design) return std::nullopt;
  auto refusal = parts_.designs->service()->refuse_token(request);
  if (refusal) note_refusal(request.path, "unauthorized");
  return refusal;
}

// Answers a request whose body nobody reads, or whose sender does not say who it is. It is not signed.
std::optional<http::Response> Endpoint::refuse_unsigned_payload(const http::Request& request) const {
  const bool of_design = is_of_design(request);
  if (!of_design) {
    return parts_.verifier == nullptr ? std::nullopt
                                      : std::optional(plain(404, "<UnknownOperationException/>\n"));
  }
  if (find_path(request.path) == nullptr) {
    RequestStack stack(parts_.database);
    return answer_v1({request}, stack);
  }
  if (access::bearer_of(request)) return refuse_head(request);
  note_refusal(request.path, "unauthorized");
  return to_response({.kind = "unauthorized",
                      .title = "Compressed bodies are taken from known senders only",
                      .status = 401,
                      .detail = "Log in and send your token, or send the body without Content-Encoding",
                      .challenge = kTokenChallenge});
}

std::optional<http::Response> Endpoint::refuse_payload(const http::Request& request) const {
  if (is_for_others(request)) return std::nullopt;  // answered by the signature that STS verifies
  if (!needs_signature(request)) return refuse_unsigned_payload(request);
  const Result<access::Sender> sender = parts_.verifier->verify(request, parts_.clock.now());
  return sender ? std::nullopt : std::optional(refusal_of(request, sender.error()));
}

http::Response Endpoint::operation_response(wire::Answer answer, bool json_1_0) const {
  http::Response response;
  response.status = answer.status;
  response.content_type = json_1_0 ? kJson10 : kJson;
  response.body = std::move(answer.body);
  response.crc32 = true;
  response.add_header("x-amzn-RequestId", request_ids_.next());
  return response;
}

void Endpoint::send(wire::Answer answer, bool json_1_0, http::Reply reply) const {
  reply(operation_response(std::move(answer), json_1_0));
}

}  // namespace tavola::server
