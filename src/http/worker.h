// One thread of the server: its event loop, its connections, and the responses from other threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "base/locks.h"
#include "http/exchange.h"
#include "http/shared.h"
#include "http/sockets/event_loop.h"

namespace tavola::http {

class Connection;

// Written only by the worker's thread, read by any.
class TallyCounter {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

struct alignas(64) Tally {
  TallyCounter connections, requests, refused_connections, refused_requests, timed_out, received_bytes,
      sent_bytes;
};

// Thread safety: post(), give(), take_waiting(), hand_over(), load(), stall(), is_stuck(), is_current() and tally() from any
// thread; the rest on its own.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Worker(std::shared_ptr<Shared> shared);

  // Serves until end() was called and every connection is closed.
  void run();

  // Makes the calling thread the worker's own while it lives: for run(), and tests without a thread.
  class OnThisThread {
   public:
    explicit OnThisThread(const Worker& worker);
    ~OnThisThread();
    OnThisThread(const OnThisThread&) = delete;
    OnThisThread& operator=(const OnThisThread&) = delete;
  };

  void post(std::function<void()> task) { loop_.post(std::move(task)); }
  bool is_current() const;
  EventLoop& loop() { return loop_; }
  Shared& shared() const { return *shared_; }
  Tally& tally() { return tally_; }
  // The number of its connections, and of clients that wait to become one.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }
  std::chrono::milliseconds tick_interval() const { return tick_; }
  // Returns the time since the last turn of the loop, to the precision of a tick.
  std::chrono::milliseconds stall() const;
  bool is_stuck() const { return stall() > kStuckTicks * tick_; }

  // Takes a new client, which becomes a connection at the next turn of the loop.
  void give(FileDescriptor socket);
  // Returns the given clients that are not connections yet.
  std::vector<FileDescriptor> take_waiting();

  void add(std::shared_ptr<Connection> connection, std::unique_ptr<Transport> transport);
  void release(Connection& connection);  // it has no transport any more
  void tick();                           // checks the deadlines of all connections
  void finish_connections();             // the server stops: closes idle ones
  void end();                            // close all and stop

  // The time of the last tick; good enough for deadlines, and free.
  Time deadline_after(std::chrono::milliseconds timeout) const { return now_ + timeout + tick_; }

  // Delivers a response from another thread. Also safe after the worker has ended.
  void hand_over(Exchange& exchange);

 private:
  static constexpr int kStuckTicks = 3;

  void adopt_waiting();
  void adopt(FileDescriptor socket);
  void take_handed_over();
  void refuse(FileDescriptor socket);

  std::shared_ptr<Shared> shared_;
  std::chrono::milliseconds tick_;
  Time now_ = std::chrono::steady_clock::now();
  Tally tally_;
  std::atomic<Time> turned_ = now_;  // the time of the last tick, for other threads
  std::atomic<std::size_t> load_ = 0;
  Mutex waiting_mutex_;
  std::vector<FileDescriptor> waiting_ TAVOLA_GUARDED_BY(waiting_mutex_);
  bool is_ending_ = false;
  EventLoop loop_;
  std::list<std::shared_ptr<Connection>> connections_;

  // A stack of responses, which take_handed_over() takes as a whole. The thread that pushes the first one wakes the
  // loop.
  std::atomic<Exchange*> handed_over_ = nullptr;
  // Guards the end: before it the loop takes responses, after it the thread that delivers one.
  Mutex ended_mutex_;
  bool has_ended_ TAVOLA_GUARDED_BY(ended_mutex_) = false;
};

}  // namespace tavola::http
