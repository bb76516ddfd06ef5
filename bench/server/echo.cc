// The yardstick of bench/server: a bare echo on Boost.Beast, as its examples write one. It returns the body of a
// request and has no limits, no timeouts, no pipelining. The difference is the cost of our server.
//
//   server_echo PORT THREADS     prints the port (0: one that is free) and serves until it is killed
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->write();
                     });
  }

 private:
  void write() {
    response_ = http::response<http::string_body>(http::status::ok, request_.version());
    response_.set(http::field::content_type, "application/x-amz-json-1.0");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(request_.body());
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error && self->response_.keep_alive()) self->read();
    });
  }

  tcp::socket socket_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

class Echo {
 public:
  Echo(unsigned short port, int threads)
      : contexts_(make_contexts(threads)),
        acceptor_(*contexts_.front(), tcp::endpoint(asio::ip::address_v4::loopback(), port)) {
    std::printf("%d\n", acceptor_.local_endpoint().port());
    std::fflush(stdout);
  }

  void run() {
    accept();
    std::vector<std::thread> threads;
    threads.reserve(contexts_.size());
    for (const auto& context : contexts_) {
      threads.emplace_back([&context] {
        const auto work = asio::make_work_guard(*context);
        context->run();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  using Contexts = std::vector<std::unique_ptr<asio::io_context>>;

  static Contexts make_contexts(int count) {
    Contexts contexts;
    for (int i = 0; i < count; ++i) contexts.push_back(std::make_unique<asio::io_context>(1));
    return contexts;
  }

  // Every thread has an event loop of its own; clients are dealt out in turn.
  void accept() {
    asio::io_context& context = *contexts_[next_++ % contexts_.size()];
    acceptor_.async_accept(context, [this, &context](beast::error_code error, tcp::socket socket) {
      if (!error) {
        socket.set_option(tcp::no_delay(true));
        asio::post(context, [session = std::make_shared<Session>(std::move(socket))] { session->read(); });
      }
      accept();
    });
  }

  Contexts contexts_;
  tcp::acceptor acceptor_;
  std::size_t next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: server_echo PORT THREADS\n");
    return 2;
  }
  try {
    Echo(static_cast<unsigned short>(std::atoi(argv[1])), std::atoi(argv[2])).run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "server_echo: %s\n", failure.what());
    return 1;
  }
}
