// Routes HTTP requests by their paths.
//
//   POST            X-Amz-Target names an operation of DynamoDB ─▶ wire/
//   GET  /          healthy, as AWS answers
//   GET  /health    whether it is ─▶ health_page
//   GET  /metrics   Prometheus; like /health without a signature, unless there is a token for it (--metrics-auth)
//   /v1/…           the patterns and operations of designs ─▶ v1/
//   /admin/designs/<design>             the governance of its table
//   /admin/tables/<table>/design        the design of a table, and its change
//   /admin/designs/<design>/requests    which requests its table got
//   /admin/imports/<table>              the check of items that were brought in
//   /admin/migrations/<table>           how far its migration is, and its steps
//   /admin/faults                       what goes wrong on purpose
//   /admin/clock                        the time, for tests
//   /admin/reset, /admin/branches       clean data and earlier states, for tests ─▶ admin/
//
// An answer leaves when everything it contains is durable (Store::when_durable): nobody is shown what a power cut could
// take back. Requests that only read see what is on the disk already, and need not wait (store/durable_reads.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "access/identity/signature.h"
#include "access/permissions/item_roles.h"
#include "access/permissions/policy_guard.h"
#include "base/clock.h"
#include "base/locks.h"
#include "database/server_identity.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/request_id.h"
#include "server/admin/adoptions.h"
#include "server/admin/branches.h"
#include "server/admin/clock_page.h"
#include "server/admin/design_changes.h"
#include "server/console/backend.h"
#include "server/delays.h"
#include "server/health_page.h"
#include "server/layers/isolation.h"
#include "server/layers/traffic_database.h"
#include "server/log/log.h"
#include "server/log/repeated_event.h"
#include "server/other_services.h"
#include "server/requests/recorder.h"
#include "server/requests/recording.h"
#include "server/stack.h"
#include "server/upstream.h"
#include "server/v1/served_designs.h"
#include "server/v1/service.h"
#include "store/store.h"
#include "wire/codec/operations.h"
#include "wire/service.h"

namespace tavola::server {

// Thread safety: handle(), perform() and with_database() from any thread.
class Endpoint final : public Backend {
 public:
  struct Parts {
    Database& database;
    store::Store& store;
    Log& log;
    const Clock& clock = Clock::system();         // for signatures and policies
    const Clock& design_clock = Clock::system();  // for roles of designs: --clock sets it
    access::SignatureVerifier* verifier =
        nullptr;  // null: any well-formed signature will do, and /v1 needs none
    access::SignatureVerifier* sts_verifier = nullptr;  // null with `verifier`
    const ServedDesigns* designs = nullptr;             // null: there is no /v1
    Adoptions* adoptions = nullptr;                     // null: tables are not adopted or checked
    DesignChanges* design_changes = nullptr;            // null: designs cannot be changed
    TrafficDatabase* traffic = nullptr;                 // null: nobody counts requests
    const HealthPage* health = nullptr;                 // null: there is no /health
    const Upstream* upstream = nullptr;                 // null: the server has data of its own
    RequestFaults faults{};
    TestTime test_time{};
    Isolation* isolation = nullptr;  // null: all keys share `database`
    Branches* branches = nullptr;    // null: the state is never replaced
    bool uses_tls = false;           // on TCP
    std::string metrics_token = {};  // empty: anybody may read /metrics
  };
  Endpoint(const Parts& parts, ServerIdentity identity);

  void handle(const http::Request& request, http::Reply reply);
  void perform(const access::Sender& sender, const http::Request& request, http::Reply reply) override;
  void with_database(const access::Sender& sender, const http::Request& request,
                     const std::function<void(Database&)>& use) override;
  // Refuse a request from an unknown sender, for http::ServerOptions: the first sees the head alone, the second the payload, too.
  std::optional<http::Response> refuse_head(const http::Request& request) const;
  std::optional<http::Response> refuse_payload(const http::Request& request) const;
  // Logs and counts that the server refused a request by its Host or Origin.
  void note_foreign_page(std::string_view why) const;
  // Counts the requests of the patterns and operations that a changed design has.
  void add_routes(const DesignService& service);
  http::Metrics& metrics() { return metrics_; }
  RequestRecorder& recorder() { return recorder_; }

 private:
  struct OperationMetrics {
    http::Histogram* seconds;
    http::Counter* failed;
  };
  // The answer of an operation, and when it may be sent.
  struct Answered {
    wire::Answer answer{};
    std::chrono::milliseconds delay{0};
    bool failed_on_purpose = false;
    RequestCost cost{};
    std::shared_ptr<Isolation::Own> own{};  // null: the request was performed on the database that all share
  };
  // A request, and its sender if they are known otherwise than by a signature.
  struct Asked {
    const http::Request& request;
    const access::Sender* sender = nullptr;
    bool is_recorded = false;  // somebody looks at the requests
  };
  // A request that is recorded when it is answered: it is valid until then.
  struct Recorded {
    http::Request request;
    std::string console_sender;
  };
  struct Performed {
    std::string_view operation{};  // empty: it is not known, or a path under /v1
    RequestCost cost{};
    int status = 200;
    std::string_view answer{};
    std::string_view exception{};
    std::chrono::steady_clock::time_point started{};
    std::chrono::steady_clock::time_point ended = started;
  };
  // Returns nullopt while nobody looks.
  std::optional<Recorded> recorded(const Asked& asked) const;
  void record(const std::optional<Recorded>& recorded, const Performed& performed) const;
  void handle_by_path(const http::Request& request, http::Reply reply);
  void handle_get(const http::Request& request, http::Reply reply);
  void handle_operation(const Asked& asked, http::Reply reply);
  void handle_design(const Asked& asked, http::Reply reply);
  // Returns who sent a request.
  Result<access::Sender> sender_of(const Asked& asked) const;
  http::Response answer_v1(const Asked& asked, RequestStack& stack) const;
  // The paths with an answer of their own. All others are DynamoDB's operations, or pages without a signature.
  enum class Area : std::uint8_t { Design, Admin };
  struct Route {
    Area area;
    std::function<bool(std::string_view path)> has;
    std::function<http::Response(const http::Request& request)> answer{};  // of an Admin route
    bool replaces_state = false;  // and so keeps other requests out by itself
  };
  std::vector<Route> make_routes() const;
  // Returns null if the path has no route.
  const Route* route_of(std::string_view path) const;
  bool is_of_design(const http::Request& request) const;
  void handle_admin(const Route& route, const http::Request& request, http::Reply reply);
  http::Response answer_admin(const Route& route, const http::Request& request) const;
  http::Response answer_metrics(const http::Request& request) const;
  bool may_check_import(const http::Request& request) const;
  // Refuses a request that is not signed by a key without limits.
  std::optional<http::Response> refuse_limited(const http::Request& request) const;
  // Returns the database that a request works on: one that does not count it if a tool of our own, or the console, sent it.
  Database& database_for(const Asked& asked) const;
  Answered answer(const wire::KnownOperation& operation, const Asked& asked);
  // Answers an operation that only the upstream server may know; `unknown` is the answer if nobody does.
  wire::Answer answer_unknown(const Asked& asked, wire::Answer unknown) const;
  bool forwards(const wire::KnownOperation& operation, std::string_view body,
                const access::Sender& sender) const;
  // Runs it on this database, with the faults that it shall meet.
  Answered run(const wire::KnownOperation& operation, RequestStack& stack, const Asked& asked) const;
  // Runs it as somebody with a key: policies and what the key may do decide.
  // Performs it on the database of its sender (--isolate).
  Answered answer_alone(const wire::KnownOperation& operation, const Asked& asked,
                        const access::Sender& sender);
  Answered answer_on(RequestStack& stack, const wire::KnownOperation& operation, const Asked& asked,
                     const access::Sender& sender);
  Answered answer_known(const wire::KnownOperation& operation, const Asked& asked,
                        const access::Sender& sender, RequestStack& stack);
  void evaluate_policies(access::Permissions& permissions, const access::Visit& visit) const;
  access::Visit visit_of(const access::Sender& sender, const http::Request& request) const;
  RepeatedEvent::Later later();
  // Never null.
  DesignList served_designs() const;
  // The parts with which roles of designs are evaluated for each item of a request.
  access::ItemRoles::Parts roles_of(const design::Identity& person,
                                    std::span<const design::Design> served) const;
  // Returns whether a request is for another service of AWS. Paths of our own are for us whatever a signature says.
  bool is_for_others(const http::Request& request) const {
    return !OtherServices::service_of(request).empty() && route_of(request.path) == nullptr;
  }
  RequestGate* gate() const { return parts_.branches == nullptr ? nullptr : &parts_.branches->gate(); }
  // Returns whether strangers can reach the server; then errors and /health show less.
  bool is_guarded() const;
  // Returns the metrics of an operation or a pattern of a design, with these labels.
  OperationMetrics design_metrics(std::string_view labels);
  // Returns null if the path is not that of a pattern or an operation.
  const OperationMetrics* find_path(std::string_view path) const;
  // Whether a request must be signed as AWS's clients do.
  bool needs_signature(const http::Request& request) const;
  std::optional<http::Response> refuse_unsigned_payload(const http::Request& request) const;
  http::Response refusal_of(const http::Request& request, const Error& why) const;
  // Returns the error in the form of what the request asks for.
  http::Response error_of(const http::Request& request, const Error& why) const;
  void note_refusal(std::string_view operation, std::string_view why) const;
  void log_failure(const wire::KnownOperation& operation, wire::Answer& answer) const;
  void log_failure(std::string_view path, http::Response& response) const;
  http::Response operation_response(wire::Answer answer, bool json_1_0) const;
  void send(wire::Answer answer, bool json_1_0, http::Reply reply) const;

  Parts parts_;
  ServerIdentity identity_;
  OtherServices others_;
  std::vector<Route> routes_;
  http::Metrics metrics_;
  std::vector<OperationMetrics> by_operation_;  // in the order of wire::all_operations()
  mutable SharedMutex paths_mutex_;
  // Those of patterns and operations. They stay where they are.
  std::map<std::string, OperationMetrics, std::less<>> by_path_ TAVOLA_GUARDED_BY(paths_mutex_);
  OperationMetrics of_pages_{};  // other paths under /v1, and missing ones
  http::Counter* refused_ = nullptr;
  mutable RequestRecorder recorder_;
  mutable http::RequestIds request_ids_;
  mutable access::ParsedPolicies policies_;
  mutable RepeatedEvent refusals_;
  mutable RepeatedEvent failures_;
  Delays delays_;  // ends first: late answers use the others
};

}  // namespace tavola::server
