#include "server/serve.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/write/capacity.h"
#include "http/listening.h"
#include "http/server.h"
#include "server/admin/branches.h"
#include "server/admin/design_changes.h"
#include "server/admin/sample_items.h"
#include "server/admin/settable_clock.h"
#include "server/console_server.h"
#include "server/design_watch.h"
#include "server/designs.h"
#include "server/endpoint.h"
#include "server/fixed_clock.h"
#include "server/followed_designs.h"
#include "server/health_page.h"
#include "server/hourly_archive.h"
#include "server/layers/faults.h"
#include "server/layers/isolation.h"
#include "server/layers/past_views.h"
#include "server/log/line_writer.h"
#include "server/log/request_log.h"
#include "server/long_requests.h"
#include "server/memory_plan.h"
#include "server/object_server.h"
#include "server/private_files.h"
#include "server/process/start_pages.h"
#include "server/process/stop_signals.h"
#include "server/stack.h"
#include "server/store_watch.h"
#include "server/upstream.h"
#include "server/v1/problem.h"
#include "server/v1/service.h"
#include "store/store.h"
#include "transfer/exports/buckets.h"

namespace tavola::server {
namespace {

// Every connection is a file, and the usual soft limit of 1024 would make clients wait long before the server is busy.
// Returns how many files there may be.
std::size_t raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_max;
}

// Clients that may export or import may write and read in buckets, and nowhere else.
Result<void> check_buckets(const ServeOptions& options) {
  if (options.buckets.empty() || options.in_memory || !options.store.empty() ||
      !transfer::contain_one_another(options.buckets, options.data)) {
    return {};
  }
  return fail(
      Error::validation("--buckets " + options.buckets + " and the data directory " + options.data.string() +
                        " may not be inside one another: clients could write to the database's own files; "
                        "name a folder beside it"));
}

Result<void> check_exposure(const ServeOptions& options) {
  if (options.host.empty() && options.unix_socket.empty()) {
    return fail(Error(ErrorCode::Io, "nothing to listen on; give --host or --unix-socket"));
  }
  if (options.insecure || options.host.empty()) return {};
  TAVOLA_TRY(const bool local, http::is_loopback(options.host));
  if (local) return {};
  if (options.credentials.empty()) {
    return fail(Error(ErrorCode::Io,
                      "listening on " + options.host +
                          " without --credentials would let anybody use the server; give a credentials "
                          "file, listen on 127.0.0.1, or allow it with --insecure"));
  }
  if (options.tls_certificate.empty()) {
    return fail(
        Error(ErrorCode::Io, "listening on " + options.host +
                                 " without --tls-cert and --tls-key would send all data unencrypted; give "
                                 "them, listen on 127.0.0.1, or allow it with --insecure"));
  }
  return {};
}

Result<std::unique_ptr<store::Store>> open_store(const ServeOptions& options, const MemoryPlan& memory,
                                                 Log& log) {
  if (options.in_memory || !options.upstream.empty()) return store::open_memory();
  if (!options.store.empty()) return store::open_postgres({.url = options.store});
  std::vector<std::string> given_up;
  const store::RocksOptions rocks{
      .durability =
          options.durability == Durability::Synced ? store::Durability::Deferred : store::Durability::Relaxed,
      .cache_bytes = options.cache_megabytes ? *options.cache_megabytes << 20U : memory.cache_bytes,
      .write_buffer_bytes = memory.write_buffer_bytes,
      .given_up = options.accept_loss ? &given_up : nullptr};
  TAVOLA_TRY(std::unique_ptr<store::Store> store, store::open_rocks(options.data, rocks));
  for (const std::string& what : given_up)
    log.warning("opened with missing data (--accept-loss)", {{"what", what}});
  return store;
}

// Writes the server's own errors: a problem under /v1, elsewhere an error of DynamoDB.
http::Response refusal_response(const http::Refusal& refusal) {
  if (!is_design_path(refusal.path)) return http::refusal_response(refusal);
  const bool too_large = refusal.status == 413;
  const bool forbidden = refusal.status == 403;
  return to_response({.kind = too_large   ? "too-large"
                              : forbidden ? "forbidden"
                                          : "unreadable",
                      .title = too_large   ? "The body is too large"
                               : forbidden ? "The request is not allowed"
                                           : "The request was not read",
                      .status = refusal.status,
                      .detail = std::string(refusal.message)});
}

http::ServerOptions server_options(const ServeOptions& options, const MemoryPlan& memory,
                                   const access::SignatureVerifier* verifier) {
  http::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  // A name may resolve to another address than check_exposure() saw.
  const bool may_be_exposed =
      options.insecure || (!options.credentials.empty() && !options.tls_certificate.empty());
  server.reach = may_be_exposed ? http::Reach::Network : http::Reach::ThisMachine;
  server.unix_socket = options.unix_socket;
  server.tls_certificate = options.tls_certificate;
  server.tls_key = options.tls_key;
  server.threads = options.threads;
  server.web = options.web;
  server.web.own_pages_only = "/admin";
  const bool has_people = verifier != nullptr && verifier->credentials().have_people();
  server.may_take_long = has_people ? may_take_long_for_people : may_take_long;
  if (!options.upstream.empty() || !options.store.empty()) wait_on_threads(server);
  server.limits.body_bytes = memory.body_bytes;
  server.limits.memory_bytes = memory.request_bytes;
  server.limits.unverified_bytes = memory.unverified_bytes;
  server.limits.large_requests = memory.large_requests;
  if (!options.designs.empty()) server.refuse = refusal_response;
  // Half of the files are the database's, which must be able to write however many clients are connected.
  server.limits.connections = std::min(server.limits.connections, raise_file_limit() / 2);
  return server;
}

std::string how_to_try(const ServeOptions& options, const http::Server& server) {
  const std::string url = server.urls().empty() ? std::string() : server.urls().front();
  if (!url.starts_with("http")) return {};  // a Unix socket alone
  const bool any_key = options.credentials.empty();
  const std::string key = any_key ? "x" : "...";
  return "\nTry it (AWS's tools want a region and a key" +
         std::string(any_key ? "; any are accepted" : " from your credentials file") +
         "):\n\n  export AWS_ACCESS_KEY_ID=" + key + " AWS_SECRET_ACCESS_KEY=" + key +
         " AWS_DEFAULT_REGION=local\n  aws dynamodb list-tables --endpoint-url " + url +
         (options.tls_certificate.empty() ? "" : " --ca-bundle " + options.tls_certificate) + "\n";
}

// The URL of each design; of a Unix socket alone, its path there.
std::string design_lines(const ServedDesigns* designs, const http::Server& server) {
  if (designs == nullptr) return {};
  const std::string url = server.urls().empty() ? std::string() : server.urls().front();
  std::string text;
  const DesignList served = designs->designs();
  for (const design::Design& design : *served) {
    text += "  design      " + (url.starts_with("http") ? url : std::string()) + "/v1/" + design.name +
            "/ (table " + design.table.name + ")\n";
  }
  return text;
}

// The other things that a server may serve besides tables; null if it does not.
struct AlsoServed {
  const ServedDesigns* designs;
  const ObjectServer* objects;
  const ConsoleServer* console;
};

void print_banner(const ServeOptions& options, const http::Server& server, const AlsoServed& also) {
  std::string text = "\nTavola, a DynamoDB-compatible database\n\n";
  for (const std::string& url : server.urls()) text += "  listening   " + url + "\n";
  if (also.console != nullptr) {
    const bool is_read_only = options.console == ConsoleSetting::ReadOnly;
    text += "  console     " + also.console->url() + (is_read_only ? " (read-only)" : "") + "\n";
  }
  const std::string durability = options.durability == Durability::Synced
                                     ? "writes are acknowledged when they are on disk"
                                     : "relaxed: a power cut can lose the latest writes";
  text += "  data        " +
          (!options.upstream.empty() ? "on the upstream server " + options.upstream
           : !options.store.empty()  ? std::string("in PostgreSQL")
           : options.in_memory       ? "in memory, lost when the server stops"
                               : std::filesystem::absolute(options.data).string() + " (" + durability + ")") +
          "\n";
  text += options.credentials.empty() ? "  access      any access key and secret\n"
                                      : "  access      by the keys in " + options.credentials + "\n";
  text += design_lines(also.designs, server);
  if (also.objects != nullptr) {
    text +=
        "  buckets     " + also.objects->url() + " (S3's protocol; the folders of " + options.buckets + ")\n";
  }
  text += how_to_try(options, server) + "\nStop with Ctrl-C.\n\n";
  // Nobody may be reading, and the server must not wait for them.
  LineWriter({.descriptor = STDOUT_FILENO}).write(text);
}

// Returns what --ready-fd and --ready-file report.
ReadyServer ready_server(const ServeOptions& options, const http::Server& server, const AlsoServed& also) {
  const bool has_data = options.upstream.empty() && !options.in_memory;
  return {.endpoint = server.urls().empty() ? options.unix_socket : server.urls().front(),
          .port = server.port(),
          .console = also.console == nullptr ? std::string() : also.console->url(),
          .buckets = also.objects == nullptr ? std::string() : also.objects->url(),
          .region = options.region,
          .data = has_data ? std::filesystem::absolute(options.data).string() : std::string(),
          .upstream = options.upstream};
}

Result<void> announce(const ServeOptions& options, const http::Server& server, const AlsoServed& also,
                      Log& log) {
  warn_about_readers(options, log);
  if (!options.quiet) print_banner(options, server, also);
  if (also.console != nullptr) log.info("console", {{"url", also.console->url()}});
  // Comes last: who waits for it finds everything else that the log says of the start.
  for (const std::string& url : server.urls()) log.info("listening", {{"url", url}});
  give_back_start_pages();
  return tell_ready(options.ready, ready_server(options, server, also));
}

std::string address_of(const http::Server& server) {
  const std::string url = server.urls().empty() ? std::string() : server.urls().front();
  const std::size_t at = url.find("//");
  return at == std::string::npos ? url : url.substr(at + 2);
}

// Null when any access key will do.
Result<std::unique_ptr<access::SignatureVerifier>> open_verifier(const ServeOptions& options,
                                                                 const std::string& service = "dynamodb") {
  if (options.credentials.empty()) return nullptr;
  TAVOLA_TRY(access::Credentials credentials, access::Credentials::load(options.credentials));
  return std::make_unique<access::SignatureVerifier>(std::move(credentials), service);
}

// Empty when anybody may read the metrics.
Result<std::string> metrics_token_of(const ServeOptions& options) {
  if (options.metrics_token_file.empty()) return std::string();
  return access::read_secret(options.metrics_token_file);
}

// The designs, ready to be served; null when there are none, and no console that could apply one.
Result<std::unique_ptr<ServedDesigns>> open_designs(const ServeOptions& options,
                                                    std::vector<design::Design> designs, store::Store& store,
                                                    const Adoptions& adoptions, const Clock& clock) {
  if (designs.empty() && options.tokens.are_given()) {
    return fail(Error::validation("--jwt-secret-file and --jwks need a --design with roles"));
  }
  if (designs.empty() && (!has_console(options) || !options.upstream.empty())) return nullptr;
  TAVOLA_TRY(std::optional<access::TokenVerifier> tokens, access::token_verifier(options.tokens));
  std::string secret = new_secret();
  if (!options.store.empty()) {
    TAVOLA_TRY(secret, page_secret(store));
  } else if (!options.in_memory && options.upstream.empty()) {
    TAVOLA_TRY(secret, page_secret(options.data));
  }
  return std::make_unique<ServedDesigns>(DesignService::Parts{
      .designs = std::move(designs),
      .tokens = std::move(tokens),
      .clock = clock,
      .secret = std::move(secret),
      .why_not_yet = [&adoptions](const design::Design& design) { return adoptions.why_not_yet(design); }});
}

TableParts table_parts(const ServeOptions& options, const SampleParts& parts) {
  return {.database = parts.database,
          .adoptions = parts.adoptions,
          .log = parts.log,
          .data = options.data.string(),
          .endpoint = options.port == 0 ? "URL" : "http://127.0.0.1:" + std::to_string(options.port)};
}

// Makes the tables of the designs ready, before anybody uses them.
Result<void> begin_designs(const ServeOptions& options, ServedDesigns& designs, const SampleParts& parts) {
  const std::shared_ptr<const DesignService> service = designs.service();
  warn_about_roles(service->designs(), {service->verifies_tokens(), !options.credentials.empty()}, parts.log);
  TAVOLA_CHECK(prepare_tables(*service, table_parts(options, parts)));
  TAVOLA_CHECK(fill_with_samples(*service, options.sample, parts));
  return serve_stored_designs(designs, parts.database);
}

// Has the served designs be those of the options and of the tables that there are now.
Result<void> serve_designs_anew(const ServeOptions& options, ServedDesigns& designs,
                                const SampleParts& parts) {
  const DesignList before = designs.designs();
  for (const design::Design& design : *before) {
    const auto governing = parts.database.governing_design(design.table.name);
    const bool governs = governing && *governing != nullptr && (*governing)->text == design.text;
    if (!governs && !designs.is_of_options(design)) designs.forget_table(design.table.name);
  }
  TAVOLA_CHECK(prepare_tables(*designs.service(), table_parts(options, parts)));
  return serve_stored_designs(designs, parts.database);
}

// The parts of a server that know its data, besides the engine. `designs` is null: none are served.
struct StateFollowers {
  engine::Engine& engine;
  Faults& faults;
  PastViews& past;
  ServedDesigns* designs;
  Adoptions& adoptions;
  const Stack& stack;
  const Clock& clock;
  Log& log;
};

// Null without --test-admin.
std::unique_ptr<Branches> open_branches(const ServeOptions& options, const StateFollowers& all) {
  if (!options.test_admin) return nullptr;
  all.log.warning("clients may empty the database and return it to earlier states (--test-admin)");
  return std::make_unique<Branches>(Branches::Parts{
      .engine = all.engine,
      .clock = all.clock,
      .check_idle = [all]() -> Result<void> {
        if (all.adoptions.is_idle() && all.stack.is_idle()) return {};
        return fail(Error::resource_in_use(
            "an import, an export or the adoption of a design goes on; try again when it is done"));
      },
      .follow = [all, &options]() -> Result<void> {
        all.past.keep({});
        all.past.keep(index_lags(all.faults.plan()));
        if (all.designs == nullptr) return {};
        return serve_designs_anew(options, *all.designs, {all.engine, all.adoptions, all.clock, all.log});
      }});
}

// Null without --watch.
Result<std::unique_ptr<DesignWatch>> watch_designs(const ServeOptions& options, const ServedDesigns* designs,
                                                   DesignChanges& changes, Log& log) {
  if (!options.watch) return nullptr;
  return DesignWatch::start({.files = options.designs, .changes = changes, .served = *designs, .log = log});
}

// Where the server archives to; null when it does not.
Result<std::unique_ptr<transfer::Destination>> archive_destination(const ServeOptions& options) {
  if (options.archive_to.empty()) return nullptr;
  if (options.designs.empty()) {
    return fail(Error::validation("--archive-to needs a --design with retention rules"));
  }
  return transfer::open_destination({.to = options.archive_to, .s3_endpoint = options.archive_s3_endpoint});
}

// Null when the server does not archive.
std::unique_ptr<HourlyArchive> start_archiving(const Stack::Parts& parts, const ServedDesigns* designs,
                                               std::unique_ptr<transfer::Destination> destination) {
  if (destination == nullptr) return nullptr;
  return std::make_unique<HourlyArchive>(
      HourlyArchive::Parts{parts.engine, *designs, parts.log, parts.clock, std::move(destination),
                           [&store = parts.store] { return store.sync(); }});
}

Result<std::unique_ptr<Faults>> open_faults(const ServeOptions& options, Log& log) {
  std::string text;
  for (const std::string& part : options.faults) text += (text.empty() ? "" : ",") + part;
  TAVOLA_TRY(FaultPlan plan, parse_fault_plan(text));
  if (options.fault_seed) plan.seed = *options.fault_seed;
  if (!plan.rules.empty()) log.warning("faults are injected", {{"faults", to_text(plan)}});
  return std::make_unique<Faults>(std::move(plan));
}

// Returns the clock that the options ask for; `settable` for --test-clock.
Result<std::shared_ptr<const Clock>> open_clock(const ServeOptions& options, const SettableClock& settable,
                                                Log& log) {
  if (!options.test_clock) return clock_of(options.clock);
  log.warning("clients may set the time (--test-clock)");
  return std::shared_ptr<const Clock>(std::shared_ptr<void>(), &settable);
}

TestTime test_time(const ServeOptions& options, SettableClock& settable, engine::Engine& engine) {
  if (!options.test_clock) return {};
  return {.clock = &settable,
          .settle = [&engine] { return engine.sweep(); },
          .is_in_headers = options.test_clock_header};
}

Stack::Parts stack_parts(const ServeOptions& options, ServedDesigns* designs, Stack::Parts parts) {
  parts.designs = designs;
  parts.buckets = options.buckets;
  if (!options.in_memory && options.store.empty()) parts.files_state = options.data / "files";
  parts.region = options.region;
  parts.enforces_throughput = options.enforce_throughput;
  return parts;
}

// The parts whose counts are metrics.
struct Measured {
  const http::Server& server;
  const store::Store& store;
  const engine::Engine& engine;
  const Log& log;
  const EnforcedDatabase* enforced;  // null: nothing is enforced
  const HourlyArchive* archiving;    // null: nothing is archived
  const Upstream* upstream;          // null: the data is here
};

void append_metrics_of(const Measured& measured, std::string& out) {
  const auto& [server, store, engine, log, enforced, archiving, upstream] = measured;
  server.append_metrics(out);
  if (upstream != nullptr) upstream->append_metrics(out);
  const engine::CapacityTotals used = engine::capacity_totals();
  http::append_metric(out, {"tavola_read_units_total", "Read capacity units used, rounded down.", "counter",
                            static_cast<std::uint64_t>(used.read_units)});
  http::append_metric(out, {"tavola_write_units_total", "Write capacity units used, rounded down.", "counter",
                            static_cast<std::uint64_t>(used.write_units)});
  const engine::BackgroundWorker::Totals swept = engine.sweep_totals();
  http::append_metric(out, {"tavola_expired_items_total", "Items removed because they expired.", "counter",
                            swept.expired_items});
  http::append_metric(
      out, {"tavola_failed_sweeps_total", "Passes of background work that failed; the log has the reasons.",
            "counter", swept.failed_passes});
  for (const store::Store::Figure& figure : store.figures()) {
    http::append_metric(out, {figure.name, figure.help, "gauge", figure.value});
  }
  http::append_metric(
      out, {"tavola_log_lines_dropped_total", "Log lines dropped because nobody read them in time.",
            "counter", log.dropped_lines()});
  if (enforced != nullptr) enforced->append_metrics(out);
  if (archiving != nullptr) archiving->append_metrics(out);
}

void add_metrics(Endpoint& endpoint, const Measured& measured) {
  endpoint.metrics().also([measured](std::string& out) { append_metrics_of(measured, out); });
}

// How the designs are kept, when somebody looks.
void add_design_metrics(Endpoint& endpoint, const ServedDesigns& designs, Database& database) {
  endpoint.metrics().also([&designs, &database](std::string& out) {
    std::uint64_t stuck = 0;
    std::uint64_t broken = 0;
    std::uint64_t unfinished = 0;
    const DesignList served = designs.designs();
    for (const design::Design& design : *served) {
      const auto described = database.describe_governance({.table_name = design.table.name});
      if (!described) continue;  // its table was deleted
      stuck += described->stuck;
      unfinished += described->unfinished;
      for (const BrokenRule& rule : described->broken_rules) broken += rule.writes;
    }
    http::append_metric(out, {"tavola_lifecycle_stuck",
                              "Items that stay in a state longer than its stuck_after.", "gauge", stuck});
    http::append_metric(out, {"tavola_design_broken_writes", "Writes that broke a design which only warns.",
                              "gauge", broken});
    http::append_metric(
        out, {"tavola_unfinished_changes",
              "Copies and deletions too many for one transaction that are being made.", "gauge", unfinished});
  });
}

// Adds the metrics of the designs, and has them and the layers know a changed design before it is served.
void follow_designs(ServedDesigns& designs, Database& database, TrafficDatabase& traffic,
                    Endpoint& endpoint) {
  add_design_metrics(endpoint, designs, database);
  designs.on_change([&traffic, &endpoint](const std::shared_ptr<const DesignService>& next) {
    traffic.serve(designs_of(next));
    endpoint.add_routes(*next);
  });
}

void start_background(Upstream* upstream, engine::Engine& engine, Log& log) {
  if (upstream != nullptr) return upstream->start(log);
  engine.start_sweeping(
      [&log](const std::string& why) { log.warning("background work failed", {{"why", why}}); });
}

// Null without --upstream and designs. Must end before the stack and the endpoint, which learn of changed designs from it.
std::unique_ptr<FollowedDesigns> follow_tables(Upstream* upstream, ServedDesigns* designs, Log& log) {
  if (upstream == nullptr || upstream->governed() == nullptr || designs == nullptr) return nullptr;
  return std::make_unique<FollowedDesigns>(upstream->database(), *designs, log);
}

bool verify_tokens(const ServedDesigns* designs) {
  return designs != nullptr && designs->service()->verifies_tokens();
}

// Has the server ask the endpoint, once it is ready, who sends a request, before memory is spent on it.
void refuse_strangers(http::ServerOptions& server, const std::atomic<Endpoint*>& ready) {
  server.refuse_head = [&ready](const http::Request& request) {
    ready.wait(nullptr);
    return ready.load()->refuse_head(request);
  };
  server.refuse_payload = [&ready](const http::Request& request) {
    ready.wait(nullptr);
    return ready.load()->refuse_payload(request);
  };
}

// Has the log say when a web page, or a client that calls the server by a name it does not know, is refused.
void log_foreign_pages(http::ServerOptions& server, const std::atomic<Endpoint*>& ready) {
  server.refuse = [&ready, answer = std::move(server.refuse)](const http::Refusal& refusal) {
    const Endpoint* const endpoint = ready.load();
    if (refusal.status == 403 && endpoint != nullptr) endpoint->note_foreign_page(refusal.message);
    return answer(refusal);
  };
}

// Has the process end when requests do not end in time. What was acknowledged is kept.
void end_in_time(http::ServerOptions& server, store::Store& store, Log& log) {
  server.on_endless_requests = [&store, &log] {
    const Result<void> synced = store.sync();
    log.warning("stopped with requests still running",
                {{"store", synced ? "synced" : synced.error().message()}});
    log.finish();
    std::_Exit(synced ? 0 : 1);
  };
}

void report_trouble(http::ServerOptions& server, const std::atomic<Endpoint*>& ready, store::Store& store,
                    Log& log) {
  log_foreign_pages(server, ready);
  end_in_time(server, store, log);
}

// Opens the sockets, before the store: a port that is in use must not leave a new data directory behind.
Result<http::ServerOptions> listen(const ServeOptions& options, const MemoryPlan& memory,
                                   const access::SignatureVerifier* verifier, Log& log) {
  http::ServerOptions server = server_options(options, memory, verifier);
  if (options.log_requests)
    server.on_answer = [&log](const http::AnsweredRequest& answered) { log_request(log, answered); };
  TAVOLA_TRY(server.sockets, http::prepare(server));
  return server;
}

Result<void> finish(const ServeOptions& options, Isolation* isolation, store::Store& store, Log& log) {
  if (isolation != nullptr) isolation->close();
  forget_ready(options.ready);
  TAVOLA_CHECK(store.sync());
  log.info("stopped");
  return {};
}

// With --isolate there is no database that these could be about.
Result<void> check_isolation(const ServeOptions& options) {
  if (!options.isolates_keys) return {};
  const std::pair<const char*, bool> others[] = {{"--upstream", !options.upstream.empty()},
                                                 {"--design", !options.designs.empty()},
                                                 {"--buckets", !options.buckets.empty()},
                                                 {"--test-admin", options.test_admin},
                                                 {"--enforce-throughput", options.enforce_throughput},
                                                 {"--console-port", options.console_port.has_value()}};
  for (const auto& [name, is_given] : others) {
    if (!is_given) continue;
    return fail(Error::validation("--isolate and " + std::string(name) +
                                  " contradict each other: every key has a database of its own"));
  }
  return {};
}

// Null without --isolate.
std::unique_ptr<Isolation> open_isolation(const ServeOptions& options, const Clock& clock, Log& log) {
  if (!options.isolates_keys) return nullptr;
  return std::make_unique<Isolation>(
      Isolation::Parts{.data = options.in_memory ? std::filesystem::path() : options.data,
                       .durability = options.durability == Durability::Synced ? store::Durability::Deferred
                                                                              : store::Durability::Relaxed,
                       .clock = clock,
                       .report = [&log](const std::string& database, const std::string& why) {
                         log.warning("background work failed", {{"database", database}, {"why", why}});
                       }});
}

Result<void> check_options(const ServeOptions& options) {
  TAVOLA_CHECK(check_isolation(options));
  if (options.watch &&
      (options.designs.empty() || std::ranges::find(options.designs, "-") != options.designs.end()))
    return fail(Error::validation("--watch needs a --design, whose file it watches; standard input is none"));
  TAVOLA_CHECK(check_exposure(options));
  TAVOLA_CHECK(check_store_options(options));
  TAVOLA_CHECK(check_upstream_options(options));
  if (options.test_admin && !options.archive_to.empty()) {
    return fail(
        Error::validation("--test-admin and --archive-to contradict each other: an archive cannot follow "
                          "a database that returns to earlier states"));
  }
  TAVOLA_CHECK(check_sample_size(options.sample));
  if (!options.sample.empty() && options.designs.empty())
    return fail(Error::validation("--sample needs a --design"));
  TAVOLA_CHECK(check_object_options(options));
  TAVOLA_CHECK(check_console_options(options));
  return check_buckets(options);
}

// Serves the console if there is one.
Result<void> start_console(ConsoleServer* console, const ServeOptions& options, const ConsoleSources& sources,
                           Console::Parts parts) {
  if (console == nullptr) return {};
  parts.assets = options.console_pages;
  parts.designs = sources.designs;
  parts.routes = console_routes(sources);
  parts.is_secure = !options.tls_certificate.empty();
  parts.region = options.region;
  parts.upstream = options.upstream;
  return console->start(std::move(parts));
}

// The ports of the server besides the database's own; null if it has none.
struct OtherPorts {
  std::unique_ptr<ObjectServer> objects;
  std::unique_ptr<ConsoleServer> console;
};

Result<OtherPorts> open_other_ports(const ServeOptions& options, const MemoryPlan& memory, Log& log) {
  OtherPorts ports;
  TAVOLA_TRY(ports.objects, ObjectServer::start(options, server_options(options, memory, nullptr), log));
  TAVOLA_TRY(ports.console, ConsoleServer::listen(options, server_options(options, memory, nullptr), log));
  return ports;
}

void serve_until_signal(http::Server& server, const OtherPorts& others, StopSignals& signals, Log& log) {
  const int signal = signals.wait();
  log.info("stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
  if (others.console != nullptr) others.console->stop();
  server.stop();
  if (others.objects != nullptr) others.objects->stop();
}

// Returns a handler that waits for the endpoint, which is made when the port is known.
http::Handler waiting_handler(std::atomic<Endpoint*>& ready) {
  return [&ready](const http::Request& request, http::Reply reply) {
    ready.wait(nullptr);
    ready.load()->handle(request, std::move(reply));
  };
}

// The designs that are served, and the layers that learn of their changes. Without designs the pointers are null.
struct OfDesigns {
  ServedDesigns* designs;
  Database& database;
  TrafficDatabase* traffic;
};

void make_ready(std::atomic<Endpoint*>& ready, Endpoint& endpoint, const OfDesigns& of) {
  if (of.designs != nullptr) follow_designs(*of.designs, of.database, *of.traffic, endpoint);
  ready = &endpoint;
  ready.notify_all();
}

// Everything that the options name and that is read before the store is opened.
struct Prepared {
  MemoryPlan memory{};
  std::vector<design::Design> designs{};
  std::shared_ptr<const Clock> clock{};
  std::unique_ptr<transfer::Destination> archive{};       // null: the server does not archive
  std::unique_ptr<access::SignatureVerifier> verifier{};  // null: any access key will do
  std::unique_ptr<access::SignatureVerifier> sts_verifier{};
  std::string metrics_token{};
  std::unique_ptr<Faults> faults{};
  std::unique_ptr<SettableClock> settable = std::make_unique<SettableClock>();
  std::unique_ptr<Isolation> isolation{};  // null: all keys share the database
};

Result<Prepared> prepare(const ServeOptions& options, Log& log) {
  Prepared given{.memory = plan_memory(options.memory_bytes, available_memory())};
  TAVOLA_CHECK(end_with_parent(options.parent_death));
  TAVOLA_CHECK(check_options(options));
  TAVOLA_CHECK(prepare(options.ready));
  TAVOLA_TRY(given.designs, load_designs(options.designs));
  TAVOLA_TRY(given.clock, open_clock(options, *given.settable, log));
  given.isolation = open_isolation(options, *given.clock, log);
  TAVOLA_TRY(given.archive, archive_destination(options));
  TAVOLA_TRY(given.verifier, open_verifier(options));
  TAVOLA_TRY(given.sts_verifier, open_verifier(options, "sts"));
  TAVOLA_TRY(given.metrics_token, metrics_token_of(options));
  TAVOLA_TRY(given.faults, open_faults(options, log));
  return given;
}

Result<void> run(const ServeOptions& options, StopSignals& signals, Log& log) {
  TAVOLA_TRY(Prepared given, prepare(options, log));
  const Clock& clock = *given.clock;
  TAVOLA_TRY(http::ServerOptions listening, listen(options, given.memory, given.verifier.get(), log));
  TAVOLA_TRY(const OtherPorts others, open_other_ports(options, given.memory, log));
  std::shared_ptr<Endpoint> endpoint;  // ends after the store, which at its end answers waiting clients
  TAVOLA_TRY(std::unique_ptr<store::Store> opened, open_store(options, given.memory, log));
  store::Store& store = *opened;
  engine::Engine engine(std::move(opened), clock);
  TAVOLA_TRY(const std::unique_ptr<Upstream> upstream, Upstream::open(options, given.designs, clock));
  Database& database = upstream ? upstream->database() : engine;
  start_background(upstream.get(), engine, log);
  const StoreWatch watch(store, log);
  PastViews past(engine);  // ends before the engine
  given.faults->on_change([&past](const FaultPlan& plan) { past.keep(index_lags(plan)); });
  Adoptions adoptions(database, clock, log);  // ends before the database
  TAVOLA_TRY(const auto designs, open_designs(options, std::move(given.designs), store, adoptions, clock));
  DesignChanges changes({database, adoptions, log, designs.get()});
  if (designs != nullptr) TAVOLA_CHECK(begin_designs(options, *designs, {database, adoptions, clock, log}));
  const Stack::Parts parts =
      stack_parts(options, designs.get(),
                  {engine, store, clock, log, upstream ? &database : nullptr, nullptr, &adoptions});
  TAVOLA_TRY(const std::unique_ptr<Stack> stack, Stack::open(parts));
  auto archiving = start_archiving(parts, designs.get(), std::move(given.archive));
  TAVOLA_TRY(std::unique_ptr<DesignWatch> design_watch, watch_designs(options, designs.get(), changes, log));
  const std::unique_ptr<Branches> branches =
      open_branches(options, {engine, *given.faults, past, designs.get(), adoptions, *stack, clock, log});
  std::atomic<Endpoint*> ready = nullptr;
  if (given.verifier || verify_tokens(designs.get())) refuse_strangers(listening, ready);
  report_trouble(listening, ready, store, log);
  TAVOLA_TRY(const auto server, http::Server::start(std::move(listening), waiting_handler(ready)));
  const HealthPage health({.watch = watch, .server = *server, .log = log});
  endpoint =
      std::make_shared<Endpoint>(Endpoint::Parts{.database = stack->top(),
                                                 .store = store,
                                                 .log = log,
                                                 .design_clock = clock,
                                                 .verifier = given.verifier.get(),
                                                 .sts_verifier = given.sts_verifier.get(),
                                                 .designs = designs.get(),
                                                 .adoptions = &adoptions,
                                                 .design_changes = &changes,
                                                 .traffic = stack->traffic(),
                                                 .health = &health,
                                                 .upstream = upstream.get(),
                                                 .faults = {given.faults.get(), &past},
                                                 .test_time = test_time(options, *given.settable, engine),
                                                 .isolation = given.isolation.get(),
                                                 .branches = branches.get(),
                                                 .uses_tls = !options.tls_certificate.empty(),
                                                 .metrics_token = std::move(given.metrics_token)},
                                 ServerIdentity{.region = options.region, .address = address_of(*server)});
  add_metrics(*endpoint, {*server, store, engine, log, stack->enforced(), archiving.get(), upstream.get()});
  make_ready(ready, *endpoint, {designs.get(), database, stack->traffic()});
  const auto followed = follow_tables(upstream.get(), designs.get(), log);
  TAVOLA_CHECK(start_console(others.console.get(), options,
                             {stack->top(), upstream ? nullptr : &engine, designs.get(), adoptions, changes,
                              stack->traffic(), clock, log, endpoint->recorder(), endpoint->metrics()},
                             {.backend = *endpoint,
                              .store = store,
                              .verifier = given.verifier.get(),
                              .endpoint = server->urls().front()}));
  TAVOLA_CHECK(announce(options, *server, {designs.get(), others.objects.get(), others.console.get()}, log));
  serve_until_signal(*server, others, signals, log);
  design_watch.reset();
  adoptions.stop();
  archiving.reset();
  return finish(options, given.isolation.get(), store, log);
}

}  // namespace

int serve(const ServeOptions& options) {
  StopSignals signals;
  // The reader of the log or the banner may go away; the server continues.
  std::signal(SIGPIPE, SIG_IGN);
  Log log(options.log_format, options.colored_log ? LogColors::On : LogColors::Off);
  const Result<void> done = run(options, signals, log);
  if (done) return 0;
  log.say("tavola: " + done.error().message() + "\n");
  return 1;
}

}  // namespace tavola::server
