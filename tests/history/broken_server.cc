// `tavola serve` in memory, with one flaw planted in the database, to test the history checker.
//
//   broken_server serve --flaw NAME [--port N]      (other options of `tavola serve` are ignored)
//   broken_server --flaws                           prints their names
//
// Everything but the flaw is real: the HTTP server, the protocol, the engine.
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "http/server.h"
#include "server/endpoint.h"
#include "server/log/log.h"
#include "store/store.h"
#include "tests/history/broken_database.h"

namespace tavola::history {
namespace {

// More than there are cores: a flaw waits on its thread for others to interfere.
constexpr unsigned kThreads = 8;

struct Options {
  Flaw flaw = Flaw::None;
  std::uint16_t port = 0;
};

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  std::optional<Flaw> flaw;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const std::string_view value = arguments[i + 1];
    if (name == "--flaw") flaw = flaw_of(value);
    if (name == "--port") std::from_chars(value.data(), value.data() + value.size(), options.port);
  }
  if (!flaw) return std::nullopt;
  options.flaw = *flaw;
  return options;
}

Result<void> serve(const Options& options, const sigset_t& signals) {
  server::Log log(server::LogFormat::Text);
  auto opened = store::open_memory();
  store::Store& store = *opened;
  engine::Engine engine(std::move(opened));
  const std::unique_ptr<Database> broken = with_flaw(engine, options.flaw);
  server::Endpoint endpoint({.database = *broken, .store = store, .log = log}, {});
  http::ServerOptions server_options;
  server_options.port = options.port;
  server_options.threads = kThreads;
  TAVOLA_TRY(const auto server,
             http::Server::start(server_options, [&endpoint](const auto& request, auto reply) {
               endpoint.handle(request, std::move(reply));
             }));
  log.info("listening", {{"url", server->urls().front()}});
  int signal = 0;
  sigwait(&signals, &signal);
  server->stop();
  return {};
}

int run(std::span<char*> arguments) {
  if (arguments.size() == 2 && arguments[1] == std::string_view("--flaws")) {
    for (const NamedFlaw& flaw : all_flaws()) std::printf("%s\n", std::string(flaw.name).c_str());
    return 0;
  }
  const std::optional<Options> options = parse(arguments);
  if (!options) {
    std::fprintf(stderr, "usage: broken_server serve --flaw NAME [--port N], or broken_server --flaws\n");
    return 2;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Result<void> done = serve(*options, signals);
  if (done) return 0;
  std::fprintf(stderr, "broken_server: %s\n", done.error().message().c_str());
  return 1;
}

}  // namespace
}  // namespace tavola::history

int main(int argc, char** argv) { return tavola::history::run({argv, static_cast<std::size_t>(argc)}); }
