// An HTTP/1.1 server: one thread and one event loop per core, keep-alive, pipelining, TLS, Unix sockets.
//
//   TAVOLA_TRY(auto server, Server::start({.port = 8000}, handler));
//   print(server->urls());
//   ...
//   server->stop();  // finishes running requests
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "http/message.h"
#include "http/options.h"

namespace tavola::http {

// Loads the certificate and opens the sockets of a server that is started later, so that it can be seen that the port is free before
// anything else is opened. Clients that connect wait until then. Fails as Server::start does.
Result<std::shared_ptr<PreparedSockets>> prepare(const ServerOptions& options);

// Counts since the start.
struct Statistics {
  std::uint64_t connections_open = 0;
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused_connections = 0;  // beyond the limit
  std::uint64_t refused_requests = 0;     // every Refusal
  std::uint64_t timed_out = 0;            // connections cut or answered 408
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t request_memory_bytes = 0;  // currently held by bodies of requests and by large responses
};

// Thread safety: all methods.
class Server {
 public:
  // Listens and serves when it returns. Fails with Io and a message for people: a port in use, an unknown host, an
  // unreadable certificate. `handler` is called on the server's threads until stop() returns.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);

  virtual ~Server() = default;  // stops

  // Returns its addresses, with the real port: "http://127.0.0.1:8000", "https://[::1]:8000", "unix:/run/tavola.sock".
  virtual const std::vector<std::string>& urls() const = 0;
  virtual std::uint16_t port() const = 0;  // 0 without TCP

  // Stops listening, finishes running requests, closes every connection and ends the threads. Connections that take
  // longer than timeouts.stop are cut off; for long requests that do, on_endless_requests is called. Returns when all
  // of that is done. Must not be called from a handler.
  virtual void stop() = 0;

  virtual Statistics statistics() const = 0;
  // Returns the longest time since an I/O thread last ran its loop. It is below a second while every thread serves its
  // clients; more means that a request blocks a thread, or that a long request waits while no thread starts one.
  virtual std::chrono::milliseconds longest_stall() const = 0;
  // The statistics in Prometheus' text format.
  virtual void append_metrics(std::string& out) const = 0;
};

}  // namespace tavola::http
