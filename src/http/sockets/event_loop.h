// The only place that knows Boost.Asio: one thread's loop of events, its sockets, its clock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "http/sockets/file_descriptor.h"
#include "http/sockets/tls.h"
#include "http/sockets/transport.h"

namespace tavola::http {

// Thread safety: post() and stop() from any thread; everything else on the thread that runs the loop, or before.
// Transports must be gone before their loop.
class EventLoop {
 public:
  // Throws std::system_error when the operating system has no file left for it.
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Handles events until stop(). What is posted is done in order. A task, tick or `accepted` that throws has ended;
  // everything else goes on.
  void run();
  void stop();
  void post(std::function<void()> task);

  // Calls `tick` every `interval`, from the first run() on.
  void every(std::chrono::milliseconds interval, std::function<void()> tick);

  // A connected socket becomes a stream; of bytes as they are, or through TLS (null when there is no memory for it).
  std::unique_ptr<Transport> open_plain(FileDescriptor socket, TransportEvents& events);
  std::unique_ptr<Transport> open_tls(FileDescriptor socket, const TlsContext& tls, TransportEvents& events);

  // Calls `accepted` with every client of a listening socket, until stop_listening().
  void listen(FileDescriptor socket, std::function<void(FileDescriptor)> accepted);
  void stop_listening();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tavola::http
