#include "http/server.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <utility>

#include "base/locks.h"
#include "http/listening.h"
#include "http/metrics.h"
#include "http/tls.h"
#include "http/worker.h"

namespace tavola::http {
namespace {

// Threads inherit what is blocked: signals are for the thread that waits for them, not for ours.
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

class WorkingServer final : public Server {
 public:
  explicit WorkingServer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~WorkingServer() override { stop(); }

  Result<void> start() {
    TAVOLA_CHECK(load_tls());
    std::vector<ListeningSocket> sockets;
    TAVOLA_CHECK(open_sockets(sockets));
    try {
      start_threads(std::move(sockets));
    } catch (const std::exception& failure) {
      return fail({ErrorCode::Io, std::string("cannot start the server: ") + failure.what()});
    }
    return {};
  }

  const std::vector<std::string>& urls() const override { return urls_; }
  std::uint16_t port() const override { return port_; }
  void stop() override;
  Statistics statistics() const override;
  void append_metrics(std::string& out) const override;

 private:
  Result<void> load_tls();
  Result<void> open_sockets(std::vector<ListeningSocket>& sockets);
  void start_threads(std::vector<ListeningSocket> sockets);
  void distribute(FileDescriptor client);
  void wait_for_connections();

  std::shared_ptr<Shared> shared_;
  std::vector<std::string> urls_;
  std::uint16_t port_ = 0;
  UnixSocketFile unix_file_;
  std::vector<std::shared_ptr<Worker>> workers_;
  std::size_t next_worker_ = 0;  // of the accepting thread

  Mutex stop_mutex_;
  std::vector<std::thread> threads_ TAVOLA_GUARDED_BY(stop_mutex_);
};

Result<void> WorkingServer::load_tls() {
  const ServerOptions& options = shared_->options;
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return fail({ErrorCode::Io, "TLS needs both a certificate and its key"});
  }
  if (options.tls_certificate.empty()) return {};
  TAVOLA_TRY(shared_->tls, TlsContext::load(options.tls_certificate, options.tls_key));
  return {};
}

Result<void> WorkingServer::open_sockets(std::vector<ListeningSocket>& sockets) {
  const ServerOptions& options = shared_->options;
  if (!options.host.empty()) {
    TAVOLA_TRY(sockets, listen_tcp(options.host, options.port, options.reach));
    port_ = sockets.front().port;
    for (const ListeningSocket& socket : sockets) {
      urls_.push_back((shared_->tls ? "https://" : "http://") + socket.address);
    }
  }
  if (!options.unix_socket.empty()) {
    TAVOLA_TRY(ListeningSocket socket, listen_unix(options.unix_socket));
    unix_file_ = UnixSocketFile(options.unix_socket);
    urls_.push_back("unix:" + socket.address);
    sockets.push_back(std::move(socket));
  }
  return {};
}

void WorkingServer::start_threads(std::vector<ListeningSocket> sockets) {
  const unsigned wanted = shared_->options.threads;
  const unsigned count = wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) workers_.push_back(std::make_shared<Worker>(shared_));
  for (ListeningSocket& socket : sockets) {
    workers_.front()->loop().listen(std::move(socket.descriptor),
                                    [this](FileDescriptor client) { distribute(std::move(client)); });
  }
  const SignalsBlocked blocked;
  const MutexLock lock(stop_mutex_);
  for (const auto& worker : workers_) {
    threads_.emplace_back([worker] { worker->run(); });
    pthread_setname_np(threads_.back().native_handle(), "tavola-http");
  }
}

// A client stays where it is put, so it is put where the fewest are.
void WorkingServer::distribute(FileDescriptor client) {
  std::size_t best = next_worker_++ % workers_.size();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i]->load() < workers_[best]->load()) best = i;
  }
  const std::shared_ptr<Worker>& worker = workers_[best];
  if (worker->is_current()) return worker->adopt(std::move(client));
  // A std::function must be copyable, which a FileDescriptor is not. A task that never runs closes it too.
  const auto owned = std::make_shared<FileDescriptor>(std::move(client));
  worker->post([raw = worker.get(), owned] { raw->adopt(std::move(*owned)); });
}

void WorkingServer::stop() {
  const MutexLock lock(stop_mutex_);
  if (threads_.empty()) return;
  shared_->is_stopping.store(true);
  workers_.front()->post([first = workers_.front().get()] { first->loop().stop_listening(); });
  unix_file_.remove();
  for (const auto& worker : workers_) worker->post([raw = worker.get()] { raw->finish_connections(); });
  wait_for_connections();
  for (const auto& worker : workers_) worker->post([raw = worker.get()] { raw->end(); });
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkingServer::wait_for_connections() {
  const auto deadline = std::chrono::steady_clock::now() + shared_->options.timeouts.stop;
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
      {"tavola_http_request_memory_bytes", "Memory held by bodies of requests and by large answers.", "gauge",
       now.request_memory_bytes},
  };
  for (const MetricLine& line : lines) append_metric(out, line);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  auto server =
      std::make_unique<WorkingServer>(std::make_shared<Shared>(std::move(options), std::move(handler)));
  TAVOLA_CHECK(server->start());
  return server;
}

}  // namespace tavola::http
