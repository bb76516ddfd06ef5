// A server by hand, for what an HTTP server does not do: lose an answer, tell another time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace tavola {

class RawServer {
 public:
  // Gives each request to `answer`, which returns the bytes to send; none: the connection is closed.
  explicit RawServer(std::function<std::string(int request)> answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { run(); });
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int requests() const { return requests_; }

 private:
  void run() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      connections_.emplace_back([this, connection] { serve(connection); });
    }
  }
  void serve(int connection) {
    while (read_request(connection)) {
      const std::string bytes = answer_(++requests_);
      if (bytes.empty()) break;
      if (write(connection, bytes.data(), bytes.size()) < 0) break;
    }
    close(connection);
  }
  // Reads a request with a Content-Length to its end; returns whether one came.
  static bool read_request(int connection) {
    std::string text;
    std::array<char, 4096> some{};
    for (;;) {
      const std::size_t end = text.find("\r\n\r\n");
      if (end != std::string::npos) {
        const std::size_t at = text.find("Content-Length: ");
        const std::size_t length = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
        if (text.size() >= end + 4 + length) return true;
      }
      const ssize_t got = read(connection, some.data(), some.size());
      if (got <= 0) return false;
      text.append(some.data(), static_cast<std::size_t>(got));
    }
  }

  std::function<std::string(int)> answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> requests_ = 0;
  std::vector<std::jthread> connections_;  // each ends when its client goes
  std::jthread thread_;
};

inline std::string http_answer(const std::string& status, const std::string& headers,
                               const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace tavola
