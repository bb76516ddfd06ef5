#include "server/console_server.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/console/design_routes.h"
#include "server/console/history_routes.h"
#include "server/console/request_routes.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

// People, not programs: few connections, and one thread that reads them. The others wait for the database.
constexpr std::size_t kConsoleConnections = 256;
constexpr unsigned kConsoleThreads = 2;

http::ServerOptions console_options(const ServeOptions& options, http::ServerOptions like) {
  like.unix_socket.clear();
  like.threads = 1;
  like.long_threads = kConsoleThreads;
  like.limits.connections = kConsoleConnections;
  like.may_take_long = Console::may_take_long;
  like.web = {
      .allowed_hosts = options.web.allowed_hosts, .pages = http::WebPages::None, .own_pages_only = "/"};
  like.on_answer = {};
  like.refuse = [](const http::Refusal& refusal) {
    return to_response({.kind = refusal.status == 403 ? "forbidden" : "unreadable",
                        .title = "The request was refused",
                        .status = refusal.status,
                        .detail = std::string(refusal.message)});
  };
  return like;
}

// Opens the usual port; if it is taken, another one.
Result<std::shared_ptr<http::PreparedSockets>> usual_port(http::ServerOptions& like, Log& log) {
  like.port = kConsolePort;
  auto opened = http::prepare(like);
  if (opened) return opened;
  log.warning("the usual port of the console is taken", {{"why", opened.error().message()}});
  like.port = 0;
  return http::prepare(like);
}

}  // namespace

bool has_console(const ServeOptions& options) {
  return options.console != ConsoleSetting::Off && !options.isolates_keys && !options.console_pages.empty() &&
         !options.host.empty();
}

Result<void> check_console_options(const ServeOptions& options) {
  if (options.console == ConsoleSetting::Off && options.console_port)
    return fail(
        Error::validation("--console off and --console-port contradict each other; give one of them"));
  const bool is_asked_for = options.console_port || options.console == ConsoleSetting::ReadOnly;
  if (is_asked_for && options.console_pages.empty())
    return fail(Error::validation("this program was built without the console (TAVOLA_CONSOLE=OFF)"));
  if (options.console_port && options.host.empty())
    return fail(Error::validation("--console-port needs a --host: browsers do not use Unix sockets"));
  if (options.console_port && *options.console_port != 0 && *options.console_port == options.port) {
    return fail(Error::validation("--console-port and --port are both " + std::to_string(options.port) +
                                  "; the console needs a port of its own"));
  }
  return {};
}

std::vector<Route> console_routes(const ConsoleSources& sources) {
  std::vector<Route> routes;
  const auto add = [&routes](std::vector<Route> more) {
    std::ranges::move(more, std::back_inserter(routes));
  };
  if (sources.engine != nullptr) add(history_routes());
  add(request_routes({.recorder = sources.recorder,
                      .asked = {.database = sources.database,
                                .describes_tables = sources.engine != nullptr,
                                .traffic = sources.traffic,
                                .designs = sources.designs},
                      .metrics = sources.metrics}));
  if (sources.designs != nullptr && sources.traffic != nullptr) {
    add(design_routes({.served = *sources.designs,
                       .adoptions = sources.adoptions,
                       .changes = sources.changes,
                       .traffic = sources.traffic,
                       .database = sources.traffic->uncounted(),
                       .clock = sources.clock,
                       .log = sources.log,
                       .samples = sources.engine == nullptr ? Samples::Withheld : Samples::Offered}));
  }
  return routes;
}

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::listen(const ServeOptions& options,
                                                             http::ServerOptions like, Log& log) {
  if (!has_console(options)) return nullptr;
  http::ServerOptions listening = console_options(options, std::move(like));
  if (options.console_port || options.port == 0) {
    // With a free port for the database, the console gets a free one, too: there are several servers, as in tests.
    listening.port = options.console_port.value_or(0);
    auto opened = http::prepare(listening);
    if (!opened)
      return fail(Error(opened.error().code(), "the console (--console-port) " + opened.error().message()));
    listening.sockets = *std::move(opened);
  } else if (auto opened = usual_port(listening, log)) {
    listening.sockets = *std::move(opened);
  } else {
    log.warning("there is no console", {{"why", opened.error().message()}});
    return nullptr;
  }
  const ConsoleMode mode =
      options.console == ConsoleSetting::ReadOnly ? ConsoleMode::ReadOnly : ConsoleMode::Write;
  return std::unique_ptr<ConsoleServer>(new ConsoleServer(std::move(listening), mode));
}

Result<void> ConsoleServer::start(Console::Parts parts) {
  const auto ready = [this]() -> Console& {
    ready_.wait(nullptr);
    return *ready_.load();
  };
  if (parts.verifier != nullptr) {
    listening_.refuse_head = [ready](const http::Request& request) { return ready().refuse_head(request); };
    listening_.refuse_payload = listening_.refuse_head;
  }
  TAVOLA_TRY(server_, http::Server::start(std::move(listening_),
                                          [ready](const http::Request& request, http::Reply reply) {
                                            ready().answer(request, std::move(reply));
                                          }));
  parts.mode = mode_;
  parts.cookie += "-" + std::to_string(server_->port());
  console_ = std::make_unique<Console>(std::move(parts));
  ready_ = console_.get();
  ready_.notify_all();
  return {};
}

void ConsoleServer::stop() {
  console_->close();
  server_->stop();
}

}  // namespace tavola::server
