// A simple client for tests: raw bytes over a socket. Every wait is limited to some seconds.
#pragma once

#include <arpa/inet.h>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "http/sockets/file_descriptor.h"

namespace tavola::http {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

inline std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += ascii_lower(c);
  return out;
}

class TestClient {
 public:
  static TestClient tcp(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return TestClient(AF_INET, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }
  static TestClient tcp6(std::uint16_t port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    return TestClient(AF_INET6, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }
  static TestClient unix_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return TestClient(AF_UNIX, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_.number(); }

  // Returns false if the server does not accept it (any more).
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!wait_for(POLLOUT)) return false;
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Returns the next response; nullopt if the connection ends before it is complete. HEAD: a response without its body.
  std::optional<Answer> receive(std::string_view method = "POST") {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive_more()) return std::nullopt;
    }
    Answer answer = parse_head(received_.substr(0, end + 2));
    received_.erase(0, end + 4);
    const auto length = answer.headers.find("content-length");
    const std::size_t size = length == answer.headers.end() || method == "HEAD" || answer.status == 100
                                 ? 0
                                 : std::stoul(length->second);
    while (received_.size() < size) {
      if (!receive_more()) return std::nullopt;
    }
    answer.body = received_.substr(0, size);
    received_.erase(0, size);
    return answer;
  }

  std::optional<Answer> ask(std::string_view bytes) {
    if (!send(bytes)) return std::nullopt;
    return receive();
  }

  // Returns whether the server closes the connection without sending anything more.
  bool ends() {
    const bool silent = received_.empty();
    while (receive_more()) {
    }
    return silent && received_.empty() && !timed_out_;
  }
  // Returns everything until the end.
  std::string rest() {
    while (receive_more()) {
    }
    return std::exchange(received_, {});
  }

  void end_sending() { shutdown(socket_.number(), SHUT_WR); }
  // Resets the connection: the server's next write or read fails.
  void vanish() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    socket_.close();
  }

 private:
  TestClient(int family, const sockaddr* address, socklen_t size)
      : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    connected_ = connect(socket_.number(), address, size) == 0;
  }

  bool wait_for(short events) const {
    pollfd waiting{.fd = socket_.number(), .events = events, .revents = 0};
    return poll(&waiting, 1, 20'000) > 0;
  }

  bool receive_more() {
    timed_out_ = !wait_for(POLLIN);
    if (timed_out_) return false;
    char buffer[16384];
    const ssize_t count = recv(socket_.number(), buffer, sizeof(buffer), 0);
    if (count <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  static Answer parse_head(const std::string& head) {
    Answer answer;
    std::size_t line = head.find("\r\n");
    answer.status = head.size() > 12 ? std::atoi(head.c_str() + 9) : 0;
    while (line + 2 < head.size()) {
      const std::size_t begin = line + 2;
      line = head.find("\r\n", begin);
      const std::size_t colon = head.find(':', begin);
      answer.headers[lower(head.substr(begin, colon - begin))] =
          trimmed(head.substr(colon + 1, line - colon - 1));
    }
    return answer;
  }

  FileDescriptor socket_;
  bool connected_ = false;
  bool timed_out_ = false;
  std::string received_;
};

inline std::string post(std::string_view body, std::string_view more_headers = {}) {
  return "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

inline std::string get(std::string_view path, std::string_view more_headers = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more_headers) + "\r\n";
}

}  // namespace tavola::http
