// The server's front: what each HTTP request means.
//
//   POST            X-Amz-Target names an operation of DynamoDB ─▶ wire/
//   GET  /          healthy, as AWS answers
//   GET  /health    whether it is ─▶ health_page
//   GET  /metrics   Prometheus; like /health without a signature, unless there is a token for it (--metrics-auth)
//   /v1/…           the patterns and operations of designs ─▶ api/
//   /admin/designs/<design>/requests    which requests its table got
//   /admin/migrations/<table>           how far its migration is, and its steps
//   /admin/faults                       what goes wrong on purpose ─▶ faults/
//
// An answer leaves when everything it tells is on the disk (Store::when_durable): nobody is shown what a power cut could
// take back. Requests that only read see what is on the disk already, and need not wait (store/durable_reads.h).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "api/item_roles.h"
#include "api/service.h"
#include "base/clock.h"
#include "cli/health_page.h"
#include "cli/log.h"
#include "cli/repeated_event.h"
#include "faults/delays.h"
#include "faults/faults.h"
#include "faults/past_views.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/request_id.h"
#include "http/signature.h"
#include "runner/counted_database.h"
#include "store/store.h"
#include "wire/access/access.h"
#include "wire/codec/operations.h"
#include "wire/service.h"

namespace tavola::cli {

// Thread safety: handle() from any thread.
class Endpoint {
 public:
  struct Parts {
    Database& database;
    store::Store& store;
    Log& log;
    const Clock& clock = Clock::system();
    http::SignatureVerifier* verifier =
        nullptr;                            // null: any well-formed signature will do, and /v1 needs none
    const api::Service* designs = nullptr;  // null: there is no /v1
    const runner::CountedDatabase* counted = nullptr;  // null: nobody counts requests
    const HealthPage* health = nullptr;                // null: there is no /health
    faults::Faults* faults = nullptr;                  // null: nothing goes wrong on purpose
    const faults::PastViews* past = nullptr;           // with faults: for indexes that lag behind
    bool uses_tls = false;                             // on TCP
    std::string metrics_token = {};                    // empty: anybody may read /metrics
  };
  Endpoint(const Parts& parts, wire::Place place);

  void handle(const http::Request& request, http::Reply reply);
  // The answers to a request that nobody who may use the server has sent, for http::ServerOptions: judged by the head alone, and
  // with the payload.
  std::optional<http::Response> refuse_head(const http::Request& request) const;
  std::optional<http::Response> refuse_payload(const http::Request& request) const;
  // Logs and counts that the server refused a request by its Host or Origin.
  void note_foreign_page(std::string_view why) const;
  http::Metrics& metrics() { return metrics_; }

 private:
  struct OperationMetrics {
    http::Histogram* seconds;
    http::Counter* failed;
  };
  // What an operation answers, and when.
  struct Answered {
    wire::Answer answer{};
    std::chrono::milliseconds delay{0};
    bool failed_on_purpose = false;
  };
  void handle_get(const http::Request& request, http::Reply reply);
  void handle_operation(const http::Request& request, http::Reply reply);
  void handle_design(const http::Request& request, http::Reply reply);
  http::Response answer_design(const http::Request& request) const;
  void handle_admin(const http::Request& request, http::Reply reply);
  http::Response answer_admin(const http::Request& request) const;
  http::Response answer_metrics(const http::Request& request) const;
  // Refuses a request that is not signed by a key without limits.
  std::optional<http::Response> refuse_limited(const http::Request& request) const;
  Answered answer(const wire::KnownOperation& operation, const http::Request& request);
  // Runs it on this database, with the faults that it shall meet.
  Answered run(const wire::KnownOperation& operation, Database& database, std::string_view body) const;
  // Runs it as somebody whose key was verified: policies and what the key may do decide.
  Answered answer_known(const wire::KnownOperation& operation, const http::Request& request,
                        const http::Caller& caller, Database& database);
  wire::Permissions permissions_of(const http::Caller& caller) const;
  wire::Visit visit_of(const http::Caller& caller, const http::Request& request) const;
  RepeatedEvent::Later later();
  // The caller's key may not do everything.
  static bool is_limited(const http::Caller& caller);
  // Whom the caller's key stands for; nothing when roles do not limit it.
  static std::optional<design::Identity> person_of(const http::Caller& caller);
  // What the roles of designs are asked with, for requests item by item.
  api::ItemRoles::Parts roles_of(const design::Identity& person) const;
  // Others than those who run the server may ask: they need not know all about it.
  bool is_guarded() const;
  // Metrics of what answers at these labels.
  OperationMetrics design_metrics(std::string_view labels);
  // Whether a request must be signed as AWS's clients do.
  bool needs_signature(const http::Request& request) const;
  std::optional<http::Response> refuse_unsigned_payload(const http::Request& request) const;
  http::Response refusal_of(const http::Request& request, const Error& why) const;
  void note_refusal(std::string_view operation, std::string_view why) const;
  void tell_failure(const wire::KnownOperation& operation, wire::Answer& answer) const;
  void tell_failure(std::string_view path, http::Response& response) const;
  http::Response to_response(wire::Answer answer, bool json_1_0) const;
  void send(wire::Answer answer, bool json_1_0, http::Reply reply) const;

  Parts parts_;
  wire::Place place_;
  http::Metrics metrics_;
  std::vector<OperationMetrics> by_operation_;                    // in the order of wire::all_operations()
  std::map<std::string, OperationMetrics, std::less<>> by_path_;  // of patterns and operations
  OperationMetrics of_pages_{};  // what is under /v1 besides, and what is not there
  http::Counter* refused_ = nullptr;
  mutable http::RequestIds request_ids_;
  mutable wire::ParsedPolicies policies_;
  mutable RepeatedEvent refusals_;
  mutable RepeatedEvent failures_;
  faults::Delays delays_;  // ends first: late answers use the others
};

}  // namespace tavola::cli
