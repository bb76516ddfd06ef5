// The console of `tavola serve`, on a port of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tavola/error.h>

#include "engine/engine.h"
#include "http/metrics.h"
#include "http/server.h"
#include "server/admin/adoptions.h"
#include "server/admin/design_changes.h"
#include "server/console/console.h"
#include "server/layers/traffic_database.h"
#include "server/log/log.h"
#include "server/requests/recorder.h"
#include "server/serve.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

inline constexpr std::uint16_t kConsolePort = 8001;

// The parts of the server that the features of the console work with.
struct ConsoleSources {
  Database& database;      // the stack of layers, without limits
  engine::Engine* engine;  // null: another server has the data
  ServedDesigns* designs;  // null: none are served
  Adoptions& adoptions;
  DesignChanges& changes;
  TrafficDatabase* traffic;  // null: nobody counts requests
  const Clock& clock;        // of the designs
  Log& log;
  RequestRecorder& recorder;
  const http::Metrics& metrics;
};

// Returns the routes of all features that this server has.
std::vector<Route> console_routes(const ConsoleSources& sources);

// Returns whether there shall be a console.
bool has_console(const ServeOptions& options);

// Fails if the options of the console do not fit each other, or this program.
Result<void> check_console_options(const ServeOptions& options);

// Thread safety: none, but it serves on threads of its own.
class ConsoleServer {
 public:
  // Opens the port, as `like` does its own; null if there is no console. A port that was asked for and is taken is an error. If the usual
  // one is taken, the console gets another, and the log says so.
  static Result<std::unique_ptr<ConsoleServer>> listen(const ServeOptions& options, http::ServerOptions like,
                                                       Log& log);

  // Serves. Sets `parts.cookie` and `parts.mode`.
  Result<void> start(Console::Parts parts);
  std::string url() const { return server_->urls().front(); }
  // Finishes running requests.
  void stop();

 private:
  explicit ConsoleServer(http::ServerOptions listening, ConsoleMode mode)
      : listening_(std::move(listening)), mode_(mode) {}

  http::ServerOptions listening_;
  ConsoleMode mode_;
  std::atomic<Console*> ready_ = nullptr;
  std::unique_ptr<Console> console_;
  std::unique_ptr<http::Server> server_;  // ends first
};

}  // namespace tavola::server
