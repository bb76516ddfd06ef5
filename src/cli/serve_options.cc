// `tavola serve`: its options.
#include <limits>
#include <memory>

#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

using Builder = CommandBuilder<server::ServeOptions>;

constexpr std::size_t kMemoryMin = std::size_t{64} << 20U;
constexpr std::size_t kMemoryMax = std::size_t{1} << 50U;

Result<void> read_memory(server::ServeOptions& options, const std::string& text) {
  TAVOLA_TRY(const std::size_t bytes, read_size(text));
  if (bytes < kMemoryMin || bytes > kMemoryMax)
    return fail(Error::validation("must be a size from 64MB up, like 512MB or 4GB"));
  options.memory_bytes = bytes;
  return {};
}

void add_storage(Builder& serve) {
  serve.group("Storage")
      .option("--data", &server::ServeOptions::data, "DIR", "Data directory; created if missing")
      .flag("--in-memory", &server::ServeOptions::in_memory,
            "Keep all data in memory; it is lost when the server stops")
      .option("--store", &server::ServeOptions::store, "URL",
              "Keep the data in PostgreSQL, where any number of servers share it: "
              "postgresql://host1,host2/database?target_session_attrs=read-write (docs/SCALE.md)")
      .option("--upstream", &server::ServeOptions::upstream, "URL",
              "Keep no data here, but stand in front of the server at this address: a URL, or aws:REGION for "
              "Amazon DynamoDB (docs/SCALE.md)")
      .choice_of(
          "--enforce", &server::ServeOptions::enforcement,
          std::vector<std::pair<std::string, Enforcement>>{{"strict", Enforcement::Strict},
                                                           {"warn", Enforcement::Warn}},
          "With --upstream and --design: refuse writes that break a design, or only count them; by default "
          "as the design says")
      .initial("")
      .choice_of("--durability", &server::ServeOptions::durability,
                 std::vector<std::pair<std::string, Durability>>{{"synced", Durability::Synced},
                                                                 {"relaxed", Durability::Relaxed}},
                 "When a write is acknowledged: synced waits for the disk; relaxed does not, and a power cut "
                 "can lose the latest writes")
      .choice_of("--isolate", &server::ServeOptions::isolates_keys,
                 std::vector<std::pair<std::string, bool>>{{"off", false}, {"key", true}},
                 "key: each access key and region has a database of its own, in this process")
      .flag("--accept-loss", &server::ServeOptions::accept_loss,
            "Open the data even if acknowledged writes are missing from its log; the server logs what was "
            "lost");
}

void add_memory(Builder& serve) {
  serve.group("Resources")
      .custom({.name = "--memory",
               .value = "SIZE",
               .help = "Memory limit of the server, like 512MB or 4GB; by default that of the machine or "
                       "container. Below 512MB, a request may have a 32nd of it instead of 16 MB"},
              read_memory)
      .number("--cache", &server::ServeOptions::cache_megabytes, "MB",
              "Memory for data read from disk, in MB; by default a quarter of --memory, or at most 64",
              {1, static_cast<std::int64_t>(kMemoryMax >> 20U)})
      .number("--threads", &server::ServeOptions::threads, "N",
              "Threads that serve requests; 0 means one per core", {0, 1024});
}

void add_listening(Builder& serve) {
  serve.group("Network")
      .number("--port", &server::ServeOptions::port, "N", "TCP port; 0 chooses a free one", {0, 65'535})
      .option("--host", &server::ServeOptions::host, "HOST",
              "Address or name to listen on; if empty, only the Unix socket is used")
      .option("--unix-socket", &server::ServeOptions::unix_socket, "PATH", "Also listen on this Unix socket")
      .option("--tls-cert", &server::ServeOptions::tls_certificate, "FILE",
              "Serve HTTPS with this certificate (PEM, with its chain); needs --tls-key")
      .option("--tls-key", &server::ServeOptions::tls_key, "FILE", "Private key of the certificate (PEM)")
      .flag("--insecure", &server::ServeOptions::insecure,
            "Allow other machines to connect even without --credentials or TLS");
}

// Options of access control.
void add_access(Builder& serve) {
  serve.group("Access")
      .option("--credentials", &server::ServeOptions::credentials, "FILE",
              "Verify signatures with the access keys in this file; by default any key is accepted")
      .option("--metrics-auth", &server::ServeOptions::metrics_token_file, "FILE",
              "Require the token in this file (Authorization: Bearer), or an unrestricted key, for /metrics")
      .option(
          "--jwt-secret-file", [](server::ServeOptions& o) -> auto& { return o.tokens.secret_file; }, "FILE",
          "Verify tokens (Authorization: Bearer) for designs with roles with this secret: HS256")
      .option(
          "--jwks", [](server::ServeOptions& o) -> auto& { return o.tokens.jwks_file; }, "FILE",
          "Verify tokens with the public keys in this JWKS file, as Cognito publishes them: RS256, ES256")
      .option(
          "--jwt-issuer", [](server::ServeOptions& o) -> auto& { return o.tokens.issuer; }, "TEXT",
          "Required issuer (iss) of tokens")
      .option(
          "--jwt-audience", [](server::ServeOptions& o) -> auto& { return o.tokens.audience; }, "TEXT",
          "Required audience (aud or client_id) of tokens");
}

// --no-cors wins wherever it stands.
struct Cors {
  bool none = false;
};

Result<void> allow_origin(server::ServeOptions& options, const std::string& origin) {
  if (origin == "*") {
    options.web.pages = http::WebPages::All;
    return {};
  }
  if (!http::is_origin(origin))
    return fail(Error::validation("must be an origin like https://app.example, or * for all"));
  options.web.origins.push_back(origin);
  return {};
}

Result<void> allow_host(server::ServeOptions& options, const std::string& name) {
  if (!http::is_host_rule(name)) return fail(Error::validation("must be a name without a port"));
  options.web.allowed_hosts.push_back(name);
  return {};
}

void add_web(Builder& serve, const std::shared_ptr<Cors>& cors) {
  serve.group("Names and web pages")
      .custom({.name = "--allowed-host",
               .value = "NAME",
               .help = "Further name by which clients call the server, like its name in a container network; "
                       ".example allows every name that ends so, and . every name without a dot",
               .repeats = true},
              allow_host)
      .custom(
          {.name = "--cors",
           .value = "ORIGIN",
           .help = "Allow web pages of this origin, like https://app.example, or of every origin if none is "
                   "given; pages of this machine are always allowed",
           .value_if_left_out = "*",
           .repeats = true},
          allow_origin)
      .custom(
          {.name = "--no-cors", .help = "Allow no web page of another origin, not even of this machine"},
          [cors](server::ServeOptions&, const std::string& text) { return read_value(text, cors->none); });
}

void add_console(Builder& serve) {
  serve.group("Console")
      .choice_of("--console", &server::ServeOptions::console,
                 std::vector<std::pair<std::string, server::ConsoleSetting>>{
                     {"on", server::ConsoleSetting::On},
                     {"read-only", server::ConsoleSetting::ReadOnly},
                     {"off", server::ConsoleSetting::Off}},
                 "Serve the web console; read-only changes nothing, whatever its user may do")
      .number("--console-port", &server::ServeOptions::console_port, "N",
              "TCP port of the console; by default 8001, or a free one if it is taken; 0 chooses a free one",
              {0, 65'535});
}

void add_designs(Builder& serve) {
  serve.group("Designs")
      .option("--design", &server::ServeOptions::designs, "FILE",
              "Serve this design under /v1, and create its table if missing")
      .option("--sample", &server::ServeOptions::sample, "SIZE",
              "Fill empty tables of the designs with sample data: small, medium, large, or a number of items")
      .flag("--watch", &server::ServeOptions::watch,
            "Apply a design again when its file changes, and print what changed")
      .option("--archive-to", &server::ServeOptions::archive_to, "PLACE",
              "Once an hour, archive what the retention rules of the designs say, to this folder or "
              "s3://bucket/prefix")
      .option("--s3-endpoint", &server::ServeOptions::archive_s3_endpoint, "URL",
              "Server of that bucket; by default Amazon S3");
}

void add_aws(Builder& serve) {
  serve.group("As on AWS")
      .option("--region", &server::ServeOptions::region, "NAME", "Region in ARNs")
      .flag("--enforce-throughput", &server::ServeOptions::enforce_throughput,
            "Throttle requests beyond the provisioned or on-demand throughput of a table or index")
      .option("--buckets", &server::ServeOptions::buckets, "DIR",
              "Enable exports and imports of tables; each S3 bucket is a folder in this directory")
      .number("--s3-port", &server::ServeOptions::s3_port, "N",
              "Serve these buckets over S3's protocol on this port; 0 chooses a free one");
}

void add_faults(Builder& serve) {
  serve.group("Fault injection, to test clients")
      .option("--fault", &server::ServeOptions::faults, "FAULTS",
              "Faults and how often they occur, like throttle=0.05,conflict@orders/PutItem=0.5,gsi-lag=200ms")
      .number("--fault-seed", &server::ServeOptions::fault_seed, "N",
              "Seed of the faults; the same seed gives the same faults");
}

void add_time(Builder& serve) {
  serve.group("Time and clean data, for tests")
      .flag("--test-admin", &server::ServeOptions::test_admin,
            "Let clients empty the database and return it to earlier states, at /admin/reset and "
            "/admin/branches")
      .flag("--test-clock", &server::ServeOptions::test_clock,
            "Let clients set and advance the time of the database and its designs, at /admin/clock")
      .flag("--test-clock-header", &server::ServeOptions::test_clock_header,
            "Also take the time of a single request from its header x-tavola-now");
}

Result<void> die_with(server::ServeOptions& options, const std::string& parent) {
  options.parent_death.ends_server = true;
  if (parent == "parent") return {};
  std::int64_t number = 0;
  TAVOLA_CHECK(read_number(parent, number, {1, std::numeric_limits<int>::max()}));
  options.parent_death.parent = static_cast<int>(number);
  return {};
}

void add_starting(Builder& serve) {
  serve.group("Programs that start the server")
      .number(
          "--ready-fd", [](server::ServeOptions& o) -> auto& { return o.ready.descriptor; }, "N",
          "When requests are answered, write a line of JSON (endpoint, port, console, pid ...) to this open "
          "file descriptor, and close it",
          {1, std::numeric_limits<int>::max()})
      .option(
          "--ready-file", [](server::ServeOptions& o) -> auto& { return o.ready.file; }, "FILE",
          "Also write this line to a file, which appears complete and is removed when the server stops")
      .custom({.name = "--die-with-parent",
               .value = "PID",
               .help = "Stop when the process that started the server has ended; PID, if given, says which "
                       "one that must be (Linux)",
               .value_if_left_out = "parent"},
              die_with);
}

void add_log(Builder& serve) {
  serve.group("Log, on standard error")
      .custom({.name = "--log",
               .help = "What is logged: events of the server, or also one line per request",
               .choices = {"events", "requests"},
               .initial = "events"},
              [](server::ServeOptions& options, const std::string& text) -> Result<void> {
                TAVOLA_TRY(const std::size_t chosen, read_choice(text, {"events", "requests"}));
                options.log_requests = chosen == 1;
                return {};
              })
      .choice_of("--log-format", &server::ServeOptions::log_format,
                 std::vector<std::pair<std::string, server::LogFormat>>{{"text", server::LogFormat::Text},
                                                                        {"json", server::LogFormat::Json}},
                 "Format of the log")
      .flag("--quiet", &server::ServeOptions::quiet, "Print no banner");
}

Result<void> check(server::ServeOptions& options, const Cors& cors) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return fail(Error::validation("--tls-cert and --tls-key need each other; give both"));
  if (options.test_clock && !options.clock.empty())
    return fail(Error::validation("--clock and --test-clock contradict each other; give one of them"));
  if (options.test_clock_header && !options.test_clock)
    return fail(Error::validation("--test-clock-header needs --test-clock; give both"));
  if (cors.none) options.web.pages = http::WebPages::None;
  return {};
}

}  // namespace

void add_serve_command(ProgramSpec& program, Command& chosen) {
  Builder serve("serve", "Serve DynamoDB's protocol over HTTP");
  const auto cors = std::make_shared<Cors>();
  add_storage(serve);
  add_listening(serve);
  add_access(serve);
  add_web(serve, cors);
  add_console(serve);
  add_designs(serve);
  add_aws(serve);
  add_faults(serve);
  add_time(serve);
  add_starting(serve);
  add_memory(serve);
  add_log(serve);
  serve.group("Configuration")
      .custom(
          {.name = "--config",
           .value = "FILE",
           .help =
               "Read options from this file: lines like `port = 8000`, named as here; # begins a comment. "
               "The command line takes precedence. By default $TAVOLA_CONFIG, if set"},
          [](server::ServeOptions&, const std::string&) -> Result<void> {
            return {};
          })  // read before the options are set
      .option("--clock", &server::ServeOptions::clock, "TIME", "For tests: fixed time of the designs")
      .hidden()
      .check([cors](server::ServeOptions& options) { return check(options, *cors); })
      .example("tavola serve --data ./my-data --port 8000");
  program.commands.push_back(serve.choose(chosen));
}

}  // namespace tavola::cli
