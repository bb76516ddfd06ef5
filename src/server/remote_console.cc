#include "server/remote_console.h"

#include <csignal>
#include <memory>
#include <unistd.h>
#include <utility>

#include "remote/target.h"
#include "server/console_server.h"
#include "server/endpoint.h"
#include "server/process/stop_signals.h"
#include "server/upstream.h"
#include "store/store.h"

namespace tavola::server {
namespace {

// A person waits for the answer, and can ask again.
constexpr int kAttempts = 3;

ServeOptions serve_options_of(const RemoteConsoleOptions& options) {
  ServeOptions serve;
  serve.console = options.read_only ? ConsoleSetting::ReadOnly : ConsoleSetting::On;
  serve.console_port = options.port;
  serve.console_pages = options.console_pages;
  return serve;
}

void announce_console(const RemoteConsoleOptions& options, const std::string& url,
                      const std::string& database, Log& log) {
  const std::string text = "\nTavola's console\n\n  console     " + url +
                           (options.read_only ? " (read-only)" : "") + "\n  database    " + database +
                           "\n\nStop with Ctrl-C.\n\n";
  if (!options.quiet) LineWriter({.descriptor = STDOUT_FILENO}).write(text);
  log.info("listening", {{"url", url}});
  log.info("console", {{"url", url}, {"database", database}});
}

Result<void> run_console(const RemoteConsoleOptions& options, StopSignals& signals, Log& log) {
  const ServeOptions serve = serve_options_of(options);
  remote::Target target = remote::from_environment(options.endpoint);
  TAVOLA_CHECK(remote::check(target));
  if (options.console_pages.empty())
    return fail(Error::validation("this program was built without the console (TAVOLA_CONSOLE=OFF)"));
  http::ServerOptions like;
  like.host = serve.host;
  like.reach = http::Reach::ThisMachine;
  TAVOLA_TRY(const std::unique_ptr<ConsoleServer> console, ConsoleServer::listen(serve, like, log));
  if (console == nullptr) return fail(Error(ErrorCode::Io, "there is no port for the console; give --port"));
  target.options.attempts = kAttempts;
  TAVOLA_TRY(const std::unique_ptr<Upstream> upstream, Upstream::connect(target));
  const std::unique_ptr<store::Store> store = store::open_memory();  // holds nothing: nothing waits for it
  Endpoint endpoint(
      {.database = upstream->database(), .store = *store, .log = log, .upstream = upstream.get()},
      ServerIdentity{.region = target.region, .address = {}});
  TAVOLA_CHECK(console->start({.backend = endpoint,
                               .store = *store,
                               .assets = options.console_pages,
                               .region = target.region,
                               .endpoint = target.url,
                               .upstream = target.url}));
  announce_console(options, console->url(), target.url, log);
  const int signal = signals.wait();
  log.info("stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
  console->stop();
  log.info("stopped");
  return {};
}

}  // namespace

int serve_console(const RemoteConsoleOptions& options) {
  StopSignals signals;
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may go away
  Log log(options.log_format, options.colored_log ? LogColors::On : LogColors::Off);
  const Result<void> done = run_console(options, signals, log);
  if (done) return 0;
  log.say("tavola: " + done.error().message() + "\n");
  return 1;
}

}  // namespace tavola::server
