// A connection to a server, over TCP or TLS. Every wait ends at its deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <tavola/error.h>

struct ssl_st;  // OpenSSL's SSL

namespace tavola::remote {

class TrustedCertificates;

using Deadline = std::chrono::steady_clock::time_point;

// A server, as a URL names it.
struct Origin {
  bool is_tls = false;
  std::string host{};  // a name or an address, without the brackets of IPv6
  std::string port{};

  bool operator==(const Origin&) const = default;
};

// The methods fail with Io, with the reason alone as message. Thread safety: one thread at a time.
class Connection {
 public:
  // `trusted`: for TLS. The server's certificate is verified, and that it is for this host.
  static Result<std::unique_ptr<Connection>> open(const Origin& origin, const TrustedCertificates* trusted,
                                                  Deadline deadline);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  Result<void> write(std::string_view bytes, Deadline deadline);
  // Waits for some bytes and returns their number; 0: the server has closed the connection.
  Result<std::size_t> read(std::span<char> out, Deadline deadline);
  // Returns whether another request may be sent: the server has neither closed the connection nor sent anything unasked.
  bool is_silent();

 private:
  explicit Connection(int socket) : socket_(socket) {}

  Result<void> shake_hands(const Origin& origin, const TrustedCertificates& trusted, Deadline deadline);
  // Repeats a step of OpenSSL, which returns more than 0 when it is done, until it is; returns what it returned, or 0 at the end.
  template <class Step>
  Result<int> complete(Step step, Deadline deadline);

  int socket_;
  ssl_st* tls_ = nullptr;
};

}  // namespace tavola::remote
