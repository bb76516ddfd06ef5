#include "http/worker.h"

#include <algorithm>
#include <exception>
#include <sys/socket.h>
#include <utility>

#include "http/connection.h"
#include "http/listening.h"
#include "http/response_head.h"

namespace tavola::http {
namespace {

thread_local const Worker* current_worker = nullptr;

// Checks deadlines often enough for the shortest timeout.
std::chrono::milliseconds tick_for(const Timeouts& timeouts) {
  const auto shortest =
      std::min({timeouts.head, timeouts.body, timeouts.write, timeouts.idle, timeouts.linger});
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(500));
}

}  // namespace

Worker::Worker(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), tick_(tick_for(shared_->options.timeouts)) {
  loop_.every(tick_, [this] { tick(); });
}

bool Worker::is_current() const { return current_worker == this; }

Worker::OnThisThread::OnThisThread(const Worker& worker) { current_worker = &worker; }
Worker::OnThisThread::~OnThisThread() { current_worker = nullptr; }

void Worker::run() {
  {
    const OnThisThread mine(*this);
    loop_.run();
  }
  const MutexLock lock(ended_mutex_);
  has_ended_ = true;
  take_handed_over();
}

std::chrono::milliseconds Worker::stall() const {
  const auto since = std::chrono::steady_clock::now() - turned_.load(std::memory_order_relaxed);
  return std::chrono::duration_cast<std::chrono::milliseconds>(since);
}

void Worker::give(FileDescriptor socket) {
  {
    const MutexLock lock(waiting_mutex_);
    waiting_.push_back(std::move(socket));
    load_.fetch_add(1, std::memory_order_relaxed);
    if (waiting_.size() > 1) return;  // the loop was already woken
  }
  try {
    loop_.post([this] { adopt_waiting(); });
  } catch (const std::exception&) {
    return;  // no memory to wake the loop: the next tick checks
  }
}

std::vector<FileDescriptor> Worker::take_waiting() {
  const MutexLock lock(waiting_mutex_);
  load_.fetch_sub(waiting_.size(), std::memory_order_relaxed);
  return std::exchange(waiting_, {});
}

void Worker::adopt_waiting() {
  for (FileDescriptor& client : take_waiting()) adopt(std::move(client));
}

void Worker::adopt(FileDescriptor socket) {
  if (shared_->is_stopping.load(std::memory_order_relaxed)) return;
  if (shared_->connections.load(std::memory_order_relaxed) >= shared_->options.limits.connections) {
    return refuse(std::move(socket));
  }
  std::string peer = peer_name(socket.number());
  // A Unix socket stays on this machine, protected by its file's mode: TLS would add nothing.
  const bool is_local = peer == "unix";
  auto connection = std::make_shared<Connection>(shared_from_this(), std::move(peer));
  const std::optional<TlsContext>& tls = shared_->tls;
  auto transport = tls && !is_local ? loop_.open_tls(std::move(socket), *tls, *connection)
                                    : loop_.open_plain(std::move(socket), *connection);
  if (transport != nullptr) add(std::move(connection), std::move(transport));
}

void Worker::add(std::shared_ptr<Connection> connection, std::unique_ptr<Transport> transport) {
  Connection& added = *connection;
  added.place = connections_.insert(connections_.end(), std::move(connection));
  tally_.connections.add();
  shared_->connections.fetch_add(1, std::memory_order_relaxed);
  load_.fetch_add(1, std::memory_order_relaxed);
  added.start(std::move(transport));
}

// Tries once to send the reason; does not wait for the client to read it.
void Worker::refuse(FileDescriptor socket) {
  tally_.refused_connections.add();
  if (shared_->tls) return;
  Response response = shared_->refuse(kTooManyConnections);
  std::string text;
  seal(response, {}, text);
  text += kClose;
  text += response.body;
  send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(socket.number(), SHUT_WR);
}

void Worker::release(Connection& connection) {
  load_.fetch_sub(1, std::memory_order_relaxed);
  connections_.erase(connection.place);
  const bool was_last = shared_->connections.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (was_last && shared_->is_stopping.load(std::memory_order_acquire)) {
    const MutexLock lock(shared_->mutex);
    shared_->last_connection_ended.notify_all();
  }
  if (is_ending_ && connections_.empty()) loop_.stop();
}

void Worker::tick() {
  now_ = std::chrono::steady_clock::now();
  turned_.store(now_, std::memory_order_relaxed);
  adopt_waiting();
  take_handed_over();  // those for which there was no memory to wake the loop
  for (auto place = connections_.begin(); place != connections_.end();) {
    Connection& connection = **place++;  // it may leave the list
    connection.tick(now_);
  }
}

void Worker::finish_connections() {
  for (auto place = connections_.begin(); place != connections_.end();) (*place++)->finish();
}

void Worker::end() {
  is_ending_ = true;
  for (auto place = connections_.begin(); place != connections_.end();) (*place++)->close();
  if (connections_.empty()) loop_.stop();
}

void Worker::hand_over(Exchange& exchange) {
  // Once the exchange is on the stack, the connection that keeps this worker alive may be destroyed.
  const std::shared_ptr<Worker> self = shared_from_this();
  Exchange* top = handed_over_.load(std::memory_order_relaxed);
  do {
    exchange.next_handed = top;
  } while (!handed_over_.compare_exchange_weak(top, &exchange, std::memory_order_release,
                                               std::memory_order_relaxed));
  if (top != nullptr) return;
  const MutexLock lock(ended_mutex_);
  if (has_ended_) return take_handed_over();
  try {
    loop_.post([this] { take_handed_over(); });
  } catch (const std::exception&) {
    return;  // no memory to wake the loop: the next tick checks
  }
}

void Worker::take_handed_over() {
  Exchange* exchange = handed_over_.exchange(nullptr, std::memory_order_acquire);
  // The stack has the latest on top; responses are written in their order of arrival.
  Exchange* in_order = nullptr;
  while (exchange != nullptr) {
    Exchange* next = std::exchange(exchange->next_handed, in_order);
    in_order = std::exchange(exchange, next);
  }
  while (in_order != nullptr) {
    Exchange* answered = in_order;
    in_order = answered->next_handed;
    answered->owner().answered(*answered);
  }
}

}  // namespace tavola::http
