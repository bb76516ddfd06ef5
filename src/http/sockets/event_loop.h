// The only code that uses Boost.Asio: one thread's event loop, its sockets, its clock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "http/sockets/file_descriptor.h"
#include "http/sockets/tls.h"
#include "http/sockets/transport.h"

namespace tavola::http {

// Thread safety: post() and stop() from any thread; everything else on the thread that runs the loop, or before.
// Transports must be destroyed before their loop.
class EventLoop {
 public:
  // Throws std::system_error if the operating system has no file descriptor left.
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Handles events until stop(). Posted tasks run in order. A task, tick or `accepted` that throws has ended;
  // everything else continues.
  void run();
  void stop();
  void post(std::function<void()> task);

  // Calls `tick` every `interval`, from the first run() on.
  void every(std::chrono::milliseconds interval, std::function<void()> tick);

  // Turns a connected socket into a stream, plain or through TLS (null if there is no memory for it).
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
