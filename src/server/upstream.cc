#include "server/upstream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "access/permissions/sender.h"
#include "http/metrics.h"
#include "remote/remote_database.h"
#include "remote/target.h"
#include "server/long_requests.h"
#include "wire/client/answers.h"
#include "wire/codec/maintenance_header.h"

namespace tavola::server {
namespace {

// Each waits for one answer of the upstream server.
constexpr unsigned kWaitingThreads = 64;

constexpr long kFirstFailure = 300;

// An option, and whether it was given.
struct Given {
  std::string_view option;
  bool is_given;
};

Error needs_own_data(std::string_view option) {
  return Error::validation(
      std::string(option) +
      " and --upstream contradict each other: the upstream server stores the data; leave out "
      "one of them");
}

// Refuses credentials that the server does not know, and addresses where no server is. A server that answers is good enough: the
// credentials may be allowed some tables only.
Result<void> check_reachable(Database& database, const std::string& address) {
  const Result<ListTablesResponse> listed = database.list_tables({.limit = 1});
  if (listed) return {};
  const ErrorCode code = listed.error().code();
  const bool is_refused = code == ErrorCode::UnrecognizedClient || code == ErrorCode::InvalidSignature;
  if (code != ErrorCode::Io && !is_refused) return {};
  return fail(Error(code, "the server at " + address +
                              (is_refused ? " refuses the credentials: " : " cannot be reached: ") +
                              listed.error().message()));
}

// Operations that change items or tables, or show records (governed/hidden_records.h).
constexpr std::string_view kGoverned[] = {"BatchExecuteStatement",
                                          "BatchWriteItem",
                                          "CreateTable",
                                          "DeleteItem",
                                          "DeleteTable",
                                          "DescribeTable",
                                          "ExecuteStatement",
                                          "ExecuteTransaction",
                                          "GetRecords",
                                          "ImportTable",
                                          "PutItem",
                                          "RestoreTableFromBackup",
                                          "RestoreTableToPointInTime",
                                          "Scan",
                                          "TransactWriteItems",
                                          "UpdateItem",
                                          "UpdateTable",
                                          "UpdateTimeToLive"};
constexpr std::string_view kReads[] = {"BatchGetItem", "GetItem", "Query", "TransactGetItems"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns whether no design has a say in the request. The keys of records begin with '$', which may be escaped.
bool passes_designs(std::string_view operation, std::string_view body) {
  if (contains(kGoverned, operation)) return false;
  return !contains(kReads, operation) || body.find_first_of("$\\") == std::string_view::npos;
}

std::string_view target_operation(const http::Request& request) {
  const std::string_view target = request.header("x-amz-target");
  const std::size_t dot = target.find('.');
  return dot == std::string_view::npos ? std::string_view() : target.substr(dot + 1);
}

remote::Mark mark_of(const http::Request& request) {
  const std::string_view mark = request.header(wire::kMaintenanceHeader);
  if (mark.empty()) return remote::Mark::None;
  return mark == wire::kAsIs ? remote::Mark::AsIs : remote::Mark::Maintenance;
}

}  // namespace

Result<void> check_store_options(const ServeOptions& options) {
  if (options.store.empty()) return {};
  if (!options.store.starts_with("postgresql://") && !options.store.starts_with("postgres://")) {
    return fail(
        Error::validation("--store is the address of a database of PostgreSQL, such as "
                          "postgresql://host1,host2/tavola?target_session_attrs=read-write"));
  }
  const ServeOptions initial;
  const char* const kNoDirectory = "there is no data directory";
  struct Contradiction {
    const char* option;
    bool is_given;
    const char* why;
  };
  const Contradiction given[] = {
      {"--in-memory", options.in_memory, "choose one place for the data"},
      {"--upstream", !options.upstream.empty(), "choose one place for the data"},
      {"--data", options.data != initial.data, kNoDirectory},
      {"--durability", options.durability != initial.durability,
       "PostgreSQL decides when a commit is durable (synchronous_commit)"},
      {"--accept-loss", options.accept_loss, kNoDirectory},
      {"--cache", options.cache_megabytes.has_value(), "PostgreSQL has the cache (shared_buffers)"},
      {"--enforce-throughput", options.enforce_throughput, "each server would count for itself"},
      {"--buckets", !options.buckets.empty(),
       "exports and imports are recorded in the data directory of one server; use `tavola dump` and `tavola "
       "load`"},
      {"--archive-to", !options.archive_to.empty(),
       "every server would archive; run `tavola archive` in one place"}};
  for (const Contradiction& one : given) {
    if (one.is_given)
      return fail(
          Error::validation(std::string(one.option) + " and --store contradict each other: " + one.why));
  }
  return {};
}

Result<void> check_upstream_options(const ServeOptions& options) {
  if (options.enforcement && (options.upstream.empty() || options.designs.empty())) {
    return fail(Error::validation(
        "--enforce is for the designs of a server with --upstream; others have `enforce` in the design"));
  }
  if (options.upstream.empty()) return {};
  const ServeOptions initial;
  const Given given[] = {{"--in-memory", options.in_memory},
                         {"--data", options.data != initial.data},
                         {"--durability", options.durability != initial.durability},
                         {"--accept-loss", options.accept_loss},
                         {"--cache", options.cache_megabytes.has_value()},
                         {"--enforce-throughput", options.enforce_throughput},
                         {"--buckets", !options.buckets.empty()},
                         {"--archive-to", !options.archive_to.empty()},
                         {"--watch", options.watch},
                         {"--test-admin", options.test_admin}};
  for (const Given& one : given) {
    if (one.is_given) return fail(needs_own_data(one.option));
  }
  for (const std::string& faults : options.faults) {
    if (faults.contains("gsi-lag")) {
      return fail(
          Error::validation("--fault gsi-lag and --upstream contradict each other: the lag needs views of "
                            "the past, which only a "
                            "server with data of its own has"));
    }
  }
  return remote::check(remote::from_environment(options.upstream));
}

void wait_on_threads(http::ServerOptions& server) {
  server.may_take_long = [](const http::Request& request) {
    return request.method == "POST" || may_take_long(request);
  };
  server.long_threads = kWaitingThreads;
}

std::chrono::milliseconds index_lag_of(const remote::Target& target) {
  const bool is_amazon = remote::is_aws(target.url);
  return is_amazon ? governed::TableGovernor::Options().index_lag : std::chrono::milliseconds(0);
}

Upstream::Upstream(remote::Target target) : forwarder_(std::move(target)) {}

Result<std::unique_ptr<Upstream>> Upstream::connect(remote::Target target) {
  target.options.connections = kWaitingThreads;
  const std::string url = target.url;
  std::unique_ptr<Upstream> upstream(new Upstream(target));
  TAVOLA_TRY(upstream->database_, remote::connect(std::move(target)));
  TAVOLA_CHECK(check_reachable(*upstream->database_, url));
  return upstream;
}

Result<std::unique_ptr<Upstream>> Upstream::open(const ServeOptions& options,
                                                 std::span<const design::Design> designs,
                                                 const Clock& clock) {
  if (options.upstream.empty()) return nullptr;
  const remote::Target target = remote::from_environment(options.upstream);
  TAVOLA_TRY(std::unique_ptr<Upstream> upstream, connect(target));
  if (designs.empty()) return upstream;
  TAVOLA_TRY(upstream->governed_, governed::GovernedDatabase::open(*upstream->database_, designs, clock,
                                                                   {.enforcement = options.enforcement,
                                                                    .index_lag = index_lag_of(target)}));
  return upstream;
}

void Upstream::start(Log& log) {
  if (!governed_) return;
  governed_->start(
      {.found =
           [&log](const std::string& table, const governed::AuditFinding& finding) {
             log.warning("a program broke a design by a write that did not go through its servers",
                         {{"table", table}, {"key", finding.key}, {"why", finding.why}});
           },
       .failed = [&log](const std::string& why) { log.warning("background work failed", {{"why", why}}); }});
}

void Upstream::append_metrics(std::string& out) const {
  if (!governed_) return;
  const governed::WriteCounts& counts = governed_->counts();
  http::append_metric(
      out, {"tavola_upstream_attempts_total", "Attempts of governed writes at the upstream server.",
            "counter", counts.attempts});
  http::append_metric(out, {"tavola_upstream_lost_races_total",
                            "Attempts that another writer came before, so that they were made again.",
                            "counter", counts.lost_races});
  http::append_metric(
      out, {"tavola_upstream_unknown_answers_total", "Writes at the upstream server whose answer was lost.",
            "counter", counts.unknown_answers});
  http::append_metric(
      out, {"tavola_audited_changes_total", "Changes in streams that this server has looked at.", "counter",
            governed_->audit().records()});
  http::append_metric(
      out, {"tavola_bypassed_writes_total",
            "Writes past the servers of a design that broke it, as far as this server has seen them.",
            "counter", governed_->audit().findings()});
  http::append_metric(out, {"tavola_unaudited_changes_total",
                            "Changes whose copies, unique values, references or counters were not looked at, "
                            "because there were too many.",
                            "counter", governed_->audit().skipped()});
}

bool Upstream::forwards(const Asked& asked, const access::Sender& sender) const {
  // Clients with endpoint discovery would leave this server.
  if (access::is_limited(sender) || asked.operation == "DescribeEndpoints") return false;
  return governed_ == nullptr || passes_designs(asked.operation, asked.body);
}

wire::Answer Upstream::forward(const http::Request& request) const {
  const Result<remote::HttpAnswer> answer = forwarder_.send(
      {.name = target_operation(request), .body = std::string(request.body), .mark = mark_of(request)});
  if (!answer) return wire::error_answer(answer.error());
  wire::Answer sent{.status = static_cast<int>(answer->status), .body = answer->body};
  if (answer->status >= kFirstFailure)
    sent.exception = exception_name(wire::read_error(answer->status, answer->body).code());
  return sent;
}

}  // namespace tavola::server
