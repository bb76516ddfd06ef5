// The server's front: what each HTTP request means.
//
//   POST            X-Amz-Target names an operation of DynamoDB ─▶ wire/
//   GET  /, /health healthy
//   GET  /metrics   Prometheus; like /health without a signature, also where operations need one
//   /v1/…           the patterns and operations of designs ─▶ api/
//   /admin/designs/<design>/requests    which requests its table got
//   /admin/migrations/<table>           how far its migration is, and its steps
//   /admin/faults                       what goes wrong on purpose ─▶ faults/
//
// An answer leaves when everything it tells is on the disk (Store::when_durable): nobody is shown what a power cut could
// take back.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "api/service.h"
#include "base/clock.h"
#include "cli/log.h"
#include "faults/delays.h"
#include "faults/faults.h"
#include "faults/past_views.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/request_id.h"
#include "http/signature.h"
#include "runner/counted_database.h"
#include "store/store.h"
#include "wire/access.h"
#include "wire/operations.h"
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
    faults::Faults* faults = nullptr;                  // null: nothing goes wrong on purpose
    const faults::PastViews* past = nullptr;           // with faults: for indexes that lag behind
    bool uses_tls = false;                             // on TCP
  };
  Endpoint(const Parts& parts, wire::Place place);

  void handle(const http::Request& request, http::Reply reply);
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
  http::Response answer_admin(const http::Request& request) const;
  Answered answer(const wire::KnownOperation& operation, const http::Request& request);
  // Runs it on this database, with the faults that it shall meet.
  Answered run(const wire::KnownOperation& operation, Database& database, std::string_view body) const;
  // Runs it as somebody whose key was verified: policies and what the key may do decide.
  Answered answer_known(const wire::KnownOperation& operation, const http::Request& request,
                        const http::Caller& caller, Database& database);
  wire::Permissions permissions_of(const http::Caller& caller) const;
  wire::Visit visit_of(const http::Caller& caller, const http::Request& request) const;
  // The caller's key may not do everything.
  static bool is_limited(const http::Caller& caller);
  // Whom the caller's key stands for; nothing when roles do not limit it.
  static std::optional<design::Identity> person_of(const http::Caller& caller);
  // Others than those who run the server may ask: they need not know all about it.
  bool is_guarded() const;
  // Metrics of what answers at these labels.
  OperationMetrics design_metrics(std::string_view labels);
  void note_refusal(std::string_view operation, std::string_view why) const;
  void tell_failure(const wire::KnownOperation& operation, wire::Answer& answer) const;
  void tell_failure(std::string_view path, http::Response& response) const;
  void send(wire::Answer answer, bool json_1_0, http::Reply reply) const;

  Parts parts_;
  wire::Place place_;
  http::Metrics metrics_;
  std::vector<OperationMetrics> by_operation_;                    // in the order of wire::all_operations()
  std::map<std::string, OperationMetrics, std::less<>> by_path_;  // of patterns and operations
  OperationMetrics of_pages_{};  // what is under /v1 besides, and what is not there
  http::Counter* refused_ = nullptr;
  mutable std::atomic<WallTime> refusal_told_ = WallTime();
  mutable http::RequestIds request_ids_;
  mutable wire::ParsedPolicies policies_;
  faults::Delays delays_;  // ends first: late answers use the others
};

}  // namespace tavola::cli
