#include "http/server.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <utility>

#include "base/locks.h"
#include "http/listening.h"
#include "http/metrics.h"
#include "http/sockets/event_loop.h"
#include "http/sockets/tls.h"
#include "http/worker.h"

namespace tavola::http {

struct PreparedSockets {
  std::optional<TlsContext> tls;
  std::vector<ListeningSocket> sockets;
  UnixSocketFile unix_file;
};

namespace {

// Threads inherit blocked signals: signals are for the thread that waits for them, not for ours.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

Result<std::optional<TlsContext>> load_tls(const ServerOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return fail({ErrorCode::Io, "TLS needs both a certificate and its key"});
  }
  if (options.tls_certificate.empty()) return std::nullopt;
  return TlsContext::load(options.tls_certificate, options.tls_key);
}

class WorkingServer final : public Server {
 public:
  explicit WorkingServer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~WorkingServer() override { stop(); }

  Result<void> start() {
    std::shared_ptr<PreparedSockets> prepared = shared_->options.sockets;
    if (!prepared) {
      TAVOLA_TRY(prepared, prepare(shared_->options));
    }
    use(*prepared);
    try {
      start_threads(std::move(prepared->sockets));
    } catch (const std::exception& failure) {
      return fail({ErrorCode::Io, std::string("cannot start the server: ") + failure.what()});
    }
    return {};
  }

  const std::vector<std::string>& urls() const override { return urls_; }
  std::uint16_t port() const override { return port_; }
  void stop() override;
  Statistics statistics() const override;
  std::chrono::milliseconds longest_stall() const override;
  void append_metrics(std::string& out) const override;

 private:
  void use(PreparedSockets& prepared);
  void start_threads(std::vector<ListeningSocket> sockets);
  void place(FileDescriptor client);
  void replace_waiting();
  void wait_for_connections(std::chrono::steady_clock::time_point deadline);

  std::shared_ptr<Shared> shared_;
  std::vector<std::string> urls_;
  std::uint16_t port_ = 0;
  UnixSocketFile unix_file_;
  std::vector<std::shared_ptr<Worker>> workers_;
  // Accepts on its own thread, which no request can block.
  std::optional<EventLoop> acceptor_;
  std::size_t next_worker_ = 0;  // used by the acceptor's thread

  Mutex stop_mutex_;
  std::vector<std::thread> threads_ TAVOLA_GUARDED_BY(stop_mutex_);
};

// Takes the certificate and the addresses; the sockets stay.
void WorkingServer::use(PreparedSockets& prepared) {
  const ServerOptions& options = shared_->options;
  if (prepared.tls) {
    const TlsContext& tls = shared_->tls.emplace(*std::move(prepared.tls));
    shared_->guard.allow_certified([&tls](const std::string& host) { return tls.is_for(host); });
  }
  for (const ListeningSocket& socket : prepared.sockets) {
    if (socket.port == 0) {
      urls_.push_back("unix:" + socket.address);
      continue;
    }
    port_ = socket.port;
    urls_.push_back((shared_->tls ? "https://" : "http://") + socket.address);
    shared_->guard.listens_on(options.host, socket.address);
  }
  unix_file_ = std::move(prepared.unix_file);
}

void WorkingServer::start_threads(std::vector<ListeningSocket> sockets) {
  const unsigned wanted = shared_->options.threads;
  const unsigned count = wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) workers_.push_back(std::make_shared<Worker>(shared_));
  acceptor_.emplace();
  for (ListeningSocket& socket : sockets) {
    acceptor_->listen(std::move(socket.descriptor),
                      [this](FileDescriptor client) { place(std::move(client)); });
  }
  acceptor_->every(workers_.front()->tick_interval(), [this] { replace_waiting(); });
  const SignalsBlocked blocked;
  if (shared_->options.may_take_long) shared_->pool.start();
  const MutexLock lock(stop_mutex_);
  for (const auto& worker : workers_) {
    threads_.emplace_back([worker] { worker->run(); });
    pthread_setname_np(threads_.back().native_handle(), "tavola-http");
  }
  threads_.emplace_back([this] { acceptor_->run(); });
  pthread_setname_np(threads_.back().native_handle(), "tavola-accept");
}

// Gives a client to the thread with the fewest clients among those whose loops run: it stays there. The search starts
// at another thread each time, which spreads clients among equals.
void WorkingServer::place(FileDescriptor client) {
  const auto rank = [](const Worker& worker) { return std::pair(worker.is_stuck(), worker.load()); };
  const std::size_t first = next_worker_++;
  Worker* best = workers_[first % workers_.size()].get();
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    Worker* worker = workers_[(first + i) % workers_.size()].get();
    if (rank(*worker) < rank(*best)) best = worker;
  }
  best->give(std::move(client));
}

// Takes clients back from threads that got stuck before they accepted them.
void WorkingServer::replace_waiting() {
  for (const auto& worker : workers_) {
    if (!worker->is_stuck()) continue;
    for (FileDescriptor& client : worker->take_waiting()) place(std::move(client));
  }
}

void WorkingServer::stop() {
  const MutexLock lock(stop_mutex_);
  if (threads_.empty() || !acceptor_) return;
  shared_->is_stopping.store(true);
  acceptor_->post([this] {
    acceptor_->stop_listening();
    acceptor_->stop();
  });
  unix_file_.remove();
  for (const auto& worker : workers_) worker->post([raw = worker.get()] { raw->finish_connections(); });
  const auto deadline = std::chrono::steady_clock::now() + shared_->options.timeouts.stop;
  wait_for_connections(deadline);
  for (const auto& worker : workers_) worker->post([raw = worker.get()] { raw->end(); });
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  const bool is_over = shared_->pool.finish(deadline);
  if (!is_over && shared_->options.on_endless_requests) shared_->options.on_endless_requests();
  shared_->pool.stop();
}

void WorkingServer::wait_for_connections(std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(shared_->mutex);
  shared_->last_connection_ended.wait_until(shared_->mutex, deadline,
                                            [this] { return shared_->connections.load() == 0; });
}

Statistics WorkingServer::statistics() const {
  Statistics sum;
  sum.connections_open = shared_->connections.load(std::memory_order_relaxed);
  sum.request_memory_bytes = shared_->budget.used();
  for (const auto& worker : workers_) {
    const Tally& tally = worker->tally();
    sum.connections += tally.connections.value();
    sum.requests += tally.requests.value();
    sum.refused_connections += tally.refused_connections.value();
    sum.refused_requests += tally.refused_requests.value();
    sum.timed_out += tally.timed_out.value();
    sum.received_bytes += tally.received_bytes.value();
    sum.sent_bytes += tally.sent_bytes.value();
  }
  return sum;
}

std::chrono::milliseconds WorkingServer::longest_stall() const {
  std::chrono::milliseconds longest = shared_->pool.stall();
  for (const auto& worker : workers_) longest = std::max(longest, worker->stall());
  return longest;
}

void WorkingServer::append_metrics(std::string& out) const {
  const Statistics now = statistics();
  const MetricLine lines[] = {
      {"tavola_http_connections_open", "Connections that are open.", "gauge", now.connections_open},
      {"tavola_http_connections_total", "Connections accepted.", "counter", now.connections},
      {"tavola_http_connections_refused_total", "Connections beyond the limit.", "counter",
       now.refused_connections},
      {"tavola_http_requests_total", "Requests read.", "counter", now.requests},
      {"tavola_http_requests_refused_total", "Requests malformed, too large or beyond the memory.", "counter",
       now.refused_requests},
      {"tavola_http_timeouts_total", "Clients that were too slow.", "counter", now.timed_out},
      {"tavola_http_received_bytes_total", "Bytes received.", "counter", now.received_bytes},
      {"tavola_http_sent_bytes_total", "Bytes sent.", "counter", now.sent_bytes},
      {"tavola_http_request_memory_bytes", "Memory held by bodies of requests and by large responses.",
       "gauge", now.request_memory_bytes},
      {"tavola_http_stall_milliseconds", "Time since the most stalled I/O thread last ran its loop.", "gauge",
       static_cast<std::uint64_t>(longest_stall().count())},
  };
  for (const MetricLine& line : lines) append_metric(out, line);
}

}  // namespace

Result<std::shared_ptr<PreparedSockets>> prepare(const ServerOptions& options) {
  auto prepared = std::make_shared<PreparedSockets>();
  TAVOLA_TRY(prepared->tls, load_tls(options));
  if (!options.host.empty()) {
    TAVOLA_TRY(prepared->sockets, listen_tcp(options.host, options.port, options.reach));
  }
  if (!options.unix_socket.empty()) {
    TAVOLA_TRY(ListeningSocket socket, listen_unix(options.unix_socket));
    prepared->unix_file = UnixSocketFile(options.unix_socket);
    prepared->sockets.push_back(std::move(socket));
  }
  return prepared;
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  auto server =
      std::make_unique<WorkingServer>(std::make_shared<Shared>(std::move(options), std::move(handler)));
  TAVOLA_CHECK(server->start());
  return server;
}

}  // namespace tavola::http
