// Threads for requests that may take long, so that no I/O thread ever waits for one.
//
// Requests run in the order of arrival, one at a time on each core. A request that has waited for 20 ms, because the
// running ones do take long, gets a spare thread. A client that holds all threads but two waits until one of its own
// requests is done. Large requests run a few at a time: reading one takes many times its size in memory.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "base/locks.h"

namespace tavola::http {

class Exchange;
struct Client;

// Thread safety: all methods; start() and stop() by one thread. Invariants: (1) Requests [first_ ... last_] wait,
// linked by Exchange::next_handed. (2) running_ has one entry per thread, the regular ones first. (3) While requests
// wait and no regular thread is free, an idle spare thread checks them.
class RequestPool {
 public:
  struct Limits {
    unsigned regular_threads = 2;
    unsigned spare_threads = 6;
    std::size_t waiting = 1024;         // requests
    std::size_t large_bytes = 1 << 20;  // a request with a larger body is large; so is a compressed one
    unsigned large_running = 2;
  };
  using Run = std::function<void(Exchange&)>;

  RequestPool(const Limits& limits, Run run);
  ~RequestPool() { stop(); }
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // Throws std::system_error if the operating system has no thread left.
  void start();
  // Accepts no more requests, and drops the Replies of waiting ones. Returns whether all running ones ended by the
  // deadline.
  bool finish(std::chrono::steady_clock::time_point deadline);
  // Like finish(), but without a deadline; then ends the threads.
  void stop();

  // Runs the request of an exchange in state Handling. Returns false and does nothing if too many requests wait.
  [[nodiscard]] bool give(Exchange& exchange);
  // Returns how long a request has waited that could run if there were a thread for it; 0 if there is none. Requests
  // that wait for others of the same client do not count.
  std::chrono::milliseconds stall();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Running {
    const Client* client = nullptr;  // null: the thread waits
    bool is_large = false;
  };

  void work(Running& running);
  Exchange* next(Running& running);
  bool is_idle() const TAVOLA_REQUIRES(mutex_);
  bool is_spare(const Running& running) const TAVOLA_REQUIRES(mutex_);
  void wait(const Running& running) TAVOLA_REQUIRES(mutex_);
  Exchange* take_first_that_may_run(Time given_before) TAVOLA_REQUIRES(mutex_);
  bool may_run(const Exchange& exchange) const TAVOLA_REQUIRES(mutex_);
  bool may_wait(const Client& client) const TAVOLA_REQUIRES(mutex_);
  bool is_large(const Exchange& exchange) const;

  const Limits limits_;
  const Run run_;
  Mutex mutex_;
  std::condition_variable_any for_regular_;
  std::condition_variable_any for_spare_;
  std::condition_variable_any for_end_;
  Exchange* first_ TAVOLA_GUARDED_BY(mutex_) = nullptr;
  Exchange* last_ TAVOLA_GUARDED_BY(mutex_) = nullptr;
  std::size_t waiting_ TAVOLA_GUARDED_BY(mutex_) = 0;
  unsigned idle_regulars_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::vector<Running> running_ TAVOLA_GUARDED_BY(mutex_);
  Time begun_ TAVOLA_GUARDED_BY(mutex_){};  // when a thread last took a request
  bool is_stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace tavola::http
