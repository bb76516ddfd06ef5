#include "http/sockets/event_loop.h"

#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <exception>
#include <sys/socket.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace tavola::http {
namespace {

namespace asio = boost::asio;
using BoostError = boost::system::error_code;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

// Asio needs the kind of the socket; on failure the socket stays closed and every operation fails.
Socket adopt(asio::io_context& context, FileDescriptor descriptor) {
  Socket socket(context);
  int family = 0;
  socklen_t size = sizeof(family);
  BoostError error;
  if (getsockopt(descriptor.number(), SOL_SOCKET, SO_DOMAIN, &family, &size) == 0) {
    std::ignore = socket.assign(asio::generic::stream_protocol(family, 0), descriptor.number(), error);
    if (!error) {
      descriptor.release();
      std::ignore = socket.non_blocking(true, error);
    }
  }
  return socket;
}

// A client that ends TLS without a close notification has also ended.
void report_read(TransportEvents& events, BoostError error, std::size_t bytes) {
  if (!error) return events.on_read(bytes);
  const bool is_end = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  is_end ? events.on_read(0) : events.on_read_failed();
}

class PlainTransport final : public Transport {
 public:
  PlainTransport(asio::io_context& context, FileDescriptor socket, TransportEvents& events)
      : socket_(adopt(context, std::move(socket))), events_(events) {}

  void read(std::span<char> into) override {
    socket_.async_read_some(
        asio::buffer(into.data(), into.size()),
        [this](BoostError error, std::size_t bytes) { report_read(events_, error, bytes); });
  }

  // Most responses fit into the socket's buffer: then one system call suffices.
  Written write(std::span<const std::string_view> pieces) override {
    std::array<iovec, kPiecesMax> vectors;
    TAVOLA_ASSERT(pieces.size() <= vectors.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
      total += pieces[i].size();
    }
    const ssize_t sent = send(std::span(vectors).first(pieces.size()));
    if (sent == static_cast<ssize_t>(total)) return Written::Done;
    if (sent < 0) return Written::Failed;
    unsent_.assign(vectors.begin(), vectors.begin() + static_cast<std::ptrdiff_t>(pieces.size()));
    wait_until_writable();
    drop(static_cast<std::size_t>(sent));
    return Written::Later;
  }

  void end_writing() override {
    BoostError ignored;
    std::ignore = socket_.shutdown(Socket::shutdown_send, ignored);
  }

  void close() override {
    BoostError ignored;
    std::ignore = socket_.close(ignored);
  }

 private:
  static constexpr std::size_t kPiecesMax = 128;

  // Returns the bytes that the socket accepted, 0 if it is full, negative if it is broken.
  ssize_t send(std::span<iovec> vectors) {
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = vectors.size();
    for (;;) {
      const ssize_t sent = sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) return sent;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
      if (errno != EINTR) return -1;
    }
  }

  void drop(std::size_t sent) {
    std::size_t done = 0;
    while (done < unsent_.size() && sent >= unsent_[done].iov_len) sent -= unsent_[done++].iov_len;
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(done));
    if (unsent_.empty()) return;
    unsent_.front().iov_base = static_cast<char*>(unsent_.front().iov_base) + sent;
    unsent_.front().iov_len -= sent;
  }

  void wait_until_writable() {
    socket_.async_wait(Socket::wait_write, [this](BoostError error) {
      const ssize_t sent = error ? -1 : send(unsent_);
      if (sent < 0) return events_.on_written(false);
      drop(static_cast<std::size_t>(sent));
      if (unsent_.empty()) return events_.on_written(true);
      try {
        wait_until_writable();
      } catch (const std::exception&) {
        events_.on_written(false);
      }
    });
  }

  Socket socket_;
  TransportEvents& events_;
  std::vector<iovec> unsent_;
};

class TlsTransport final : public Transport {
 public:
  // Owns `session`.
  TlsTransport(Socket socket, SSL* session, TransportEvents& events)
      : stream_(std::move(socket), session), events_(events) {}

  // The handshake is part of the first read.
  void read(std::span<char> into) override {
    if (is_greeted_) return read_some(into);
    stream_.async_handshake(asio::ssl::stream_base::server, [this, into](BoostError error) {
      if (error) return events_.on_read_failed();
      is_greeted_ = true;
      try {
        read_some(into);
      } catch (const std::exception&) {
        events_.on_read_failed();
      }
    });
  }

  Written write(std::span<const std::string_view> pieces) override {
    unsent_.clear();
    for (const std::string_view piece : pieces) unsent_.emplace_back(piece.data(), piece.size());
    asio::async_write(stream_, unsent_,
                      [this](BoostError error, std::size_t) { events_.on_written(!error); });
    return Written::Later;
  }

  // Sends no close notification of TLS: every response contains its length, so truncation is noticed.
  void end_writing() override {
    BoostError ignored;
    std::ignore = stream_.next_layer().shutdown(Socket::shutdown_send, ignored);
  }

  void close() override {
    BoostError ignored;
    std::ignore = stream_.next_layer().close(ignored);
  }

 private:
  void read_some(std::span<char> into) {
    stream_.async_read_some(
        asio::buffer(into.data(), into.size()),
        [this](BoostError error, std::size_t bytes) { report_read(events_, error, bytes); });
  }

  asio::ssl::stream<Socket> stream_;
  TransportEvents& events_;
  bool is_greeted_ = false;
  std::vector<asio::const_buffer> unsent_;
};

// Accepts clients as long as it lives.
class Listener {
 public:
  Listener(asio::io_context& context, FileDescriptor socket, std::function<void(FileDescriptor)> accepted)
      : descriptor_(context, socket.release()), pause_(context), accepted_(std::move(accepted)) {
    wait();
  }

  // Waits for clients, if it does not: an exception ends the previous wait.
  void ensure_waiting() {
    if (!is_waiting_ && descriptor_.is_open()) wait();
  }

  void close() {
    BoostError ignored;
    std::ignore = descriptor_.close(ignored);
    pause_.cancel();
  }

 private:
  static constexpr int kClientsPerTurn = 64;

  void wait() {
    descriptor_.async_wait(Descriptor::wait_read, [this](BoostError error) {
      is_waiting_ = false;
      if (!error) accept_some();
    });
    is_waiting_ = true;
  }

  void accept_some() {
    for (int i = 0; i < kClientsPerTurn; ++i) {
      FileDescriptor client(
          accept4(descriptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.is_open()) {
        accepted_(std::move(client));
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        return wait_for_resources();
      } else if (errno != EINTR && errno != ECONNABORTED) {
        break;
      }
    }
    wait();
  }

  // The client stays in the queue; retrying at once would only burn the processor.
  void wait_for_resources() {
    pause_.expires_after(std::chrono::milliseconds(50));
    pause_.async_wait([this](BoostError error) {
      is_waiting_ = false;
      if (!error) wait();
    });
    is_waiting_ = true;
  }

  Descriptor descriptor_;
  Timer pause_;
  bool is_waiting_ = false;  // for a client, or for resources
  std::function<void(FileDescriptor)> accepted_;
};

}  // namespace

void FileDescriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

class EventLoop::Impl {
 public:
  void run() {
    const auto work = asio::make_work_guard(context_);
    while (!context_.stopped()) {
      try {
        if (tick_ && !is_ticking_) schedule_tick();
        for (const auto& listener : listeners_) listener->ensure_waiting();
        context_.run();
      } catch (const std::exception&) {
        // Memory ran out. Waiting operations keep waiting; the one that was being started is started again, but not at
        // once, so that others can release memory.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  }

  void schedule_tick() {
    timer_.expires_after(interval_);
    timer_.async_wait([this](BoostError error) {
      is_ticking_ = false;
      if (error) return;
      tick_();
      schedule_tick();
    });
    is_ticking_ = true;
  }

  // A hint of 1: one thread runs it, so Asio need not wake another.
  asio::io_context context_{1};
  Timer timer_{context_};
  std::chrono::milliseconds interval_{};
  std::function<void()> tick_;
  bool is_ticking_ = false;  // the timer waits
  std::vector<std::unique_ptr<Listener>> listeners_;
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::run() { impl_->run(); }
void EventLoop::stop() { impl_->context_.stop(); }
void EventLoop::post(std::function<void()> task) { asio::post(impl_->context_, std::move(task)); }

void EventLoop::every(std::chrono::milliseconds interval, std::function<void()> tick) {
  impl_->interval_ = interval;
  impl_->tick_ = std::move(tick);
}

std::unique_ptr<Transport> EventLoop::open_plain(FileDescriptor socket, TransportEvents& events) {
  return std::make_unique<PlainTransport>(impl_->context_, std::move(socket), events);
}

std::unique_ptr<Transport> EventLoop::open_tls(FileDescriptor socket, const TlsContext& tls,
                                               TransportEvents& events) {
  SSL* session = SSL_new(tls.native());
  if (session == nullptr) return nullptr;
  return std::make_unique<TlsTransport>(adopt(impl_->context_, std::move(socket)), session, events);
}

void EventLoop::listen(FileDescriptor socket, std::function<void(FileDescriptor)> accepted) {
  impl_->listeners_.push_back(
      std::make_unique<Listener>(impl_->context_, std::move(socket), std::move(accepted)));
}

void EventLoop::stop_listening() {
  for (const auto& listener : impl_->listeners_) listener->close();
}

}  // namespace tavola::http
