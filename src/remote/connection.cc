#include "remote/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <limits>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "remote/certificates.h"

namespace tavola::remote {
namespace {

using std::chrono::steady_clock;

Error io_error(std::string why) { return {ErrorCode::Io, std::move(why)}; }

Error system_error(int number) { return io_error(std::generic_category().message(number)); }

Error timed_out() { return io_error("timed out"); }

// Waits until a socket can do what `events` says.
Result<void> wait_for(int socket, short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    pollfd asked{.fd = socket, .events = events, .revents = 0};
    const int most = std::numeric_limits<int>::max();
    const int ready = poll(&asked, 1, static_cast<int>(std::clamp<long>(left, 0, most)));
    if (ready > 0) return {};
    if (ready == 0) return fail(timed_out());
    if (errno != EINTR) return fail(system_error(errno));
  }
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// `host`: null for this machine.
Result<Addresses> look_up(const char* host, const Origin& origin, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host, origin.port.c_str(), &hints, &list);
  if (error == 0) return Addresses(list);
  return fail(io_error("cannot find the host " + origin.host + ": " +
                       (error == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(error))));
}

// A question to a name server has no deadline of its own, so a thread asks, and goes on alone when nobody waits for it any longer.
Result<Addresses> resolve(const Origin& origin, Deadline deadline) {
  // Also where /etc/hosts is missing, as in an image with nothing but the program.
  if (origin.host == "localhost") return look_up(nullptr, origin, 0);
  if (Result<Addresses> address = look_up(origin.host.c_str(), origin, AI_NUMERICHOST)) return address;
  const auto promise = std::make_shared<std::promise<Result<Addresses>>>();
  std::future<Result<Addresses>> found = promise->get_future();
  std::thread([promise, origin] {
    promise->set_value(look_up(origin.host.c_str(), origin, AI_ADDRCONFIG));
  }).detach();
  if (found.wait_until(deadline) != std::future_status::ready)
    return fail(io_error("cannot find the host " + origin.host + ": the name server did not answer in time"));
  return found.get();
}

// Returns the socket, or the reason.
Result<int> connect_to(const addrinfo& address, Deadline deadline) {
  const int made = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return fail(system_error(errno));
  const auto refused = [made](Error error) {
    close(made);
    return fail(std::move(error));
  };
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(made, address.ai_addr, address.ai_addrlen) == 0) return made;
  if (errno != EINPROGRESS) return refused(system_error(errno));
  if (const Result<void> ready = wait_for(made, POLLOUT, deadline); !ready) return refused(ready.error());
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return refused(system_error(error));
  return made;
}

// Tries the addresses of a host in turn. One that does not answer leaves half of the time to those behind it.
Result<int> connect_to_any(const Addresses& addresses, Deadline deadline) {
  Error last = io_error("the host has no address");
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    const auto now = steady_clock::now();
    Result<int> made =
        connect_to(*address, address->ai_next == nullptr ? deadline : now + (deadline - now) / 2);
    if (made) return made;
    last = made.error();
  }
  return fail(std::move(last));
}

// ---- OpenSSL reads and writes by these functions: a client that has gone must not raise SIGPIPE ----

int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

bool may_continue() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int send_bytes(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && may_continue()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int receive_bytes(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = recv(socket_of(bio), bytes, static_cast<std::size_t>(size), 0);
  if (got < 0 && may_continue()) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO* new_bio(int socket) {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    BIO_meth_set_write(method, send_bytes);
    BIO_meth_set_read(method, receive_bytes);
    BIO_meth_set_ctrl(method, control);
    return method;
  }();
  BIO* bio = BIO_new(kMethod);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  return bio;
}

// Returns why a step of OpenSSL failed.
Error tls_error(SSL* tls, int kind, int number) {
  const long verified = SSL_get_verify_result(tls);
  if (verified != X509_V_OK) {
    ERR_clear_error();
    return io_error("its certificate was not accepted: " +
                    std::string(X509_verify_cert_error_string(verified)));
  }
  if (kind == SSL_ERROR_SYSCALL && number != 0) return system_error(number);
  if (kind == SSL_ERROR_SYSCALL) return io_error("the server closed the connection");
  return io_error("TLS: " + openssl_reason());
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Origin& origin, const TrustedCertificates* trusted,
                                                     Deadline deadline) {
  TAVOLA_TRY(const Addresses addresses, resolve(origin, deadline));
  TAVOLA_TRY(const int socket, connect_to_any(addresses, deadline));
  std::unique_ptr<Connection> connection(new Connection(socket));
  if (origin.is_tls) TAVOLA_CHECK(connection->shake_hands(origin, *trusted, deadline));
  return connection;
}

Connection::~Connection() {
  SSL_free(tls_);
  close(socket_);
}

template <class Step>
Result<int> Connection::complete(Step step, Deadline deadline) {
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const int done = step();
    if (done > 0) return done;
    const int number = errno;
    const int kind = SSL_get_error(tls_, done);
    if (kind == SSL_ERROR_ZERO_RETURN) return 0;
    if (kind != SSL_ERROR_WANT_READ && kind != SSL_ERROR_WANT_WRITE)
      return fail(tls_error(tls_, kind, number));
    TAVOLA_CHECK(wait_for(socket_, kind == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline));
  }
}

Result<void> Connection::shake_hands(const Origin& origin, const TrustedCertificates& trusted,
                                     Deadline deadline) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  tls_ = SSL_new(trusted.native());
  if (tls_ == nullptr) return fail(io_error("TLS: " + openssl_reason()));
  BIO* const bio = new_bio(socket_);
  if (bio == nullptr) return fail(io_error("TLS: " + openssl_reason()));
  SSL_set_bio(tls_, bio, bio);
  SSL_set_alpn_protos(tls_, kHttp11, sizeof kHttp11);
  X509_VERIFY_PARAM* checked = SSL_get0_param(tls_);
  X509_VERIFY_PARAM_set_hostflags(checked, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(checked, origin.host.c_str()) != 1) {  // it is a name
    // Without the first, a certificate for any other host would do.
    if (SSL_set1_host(tls_, origin.host.c_str()) != 1 ||
        SSL_set_tlsext_host_name(tls_, origin.host.c_str()) != 1)
      return fail(io_error("TLS: it cannot be verified that the server is " + origin.host));
  }
  TAVOLA_TRY(const int done, complete([this] { return SSL_connect(tls_); }, deadline));
  if (done == 0) return fail(io_error("the server ended the TLS handshake"));
  return {};
}

Result<void> Connection::write(std::string_view bytes, Deadline deadline) {
  constexpr std::size_t kMost = 1U << 20U;  // at once; an int counts them
  while (!bytes.empty()) {
    const std::string_view some = bytes.substr(0, kMost);
    std::size_t written = 0;
    if (tls_ != nullptr) {
      TAVOLA_TRY(
          const int done,
          complete([this, some] { return SSL_write(tls_, some.data(), static_cast<int>(some.size())); },
                   deadline));
      if (done == 0) return fail(io_error("the server closed the connection"));
      written = static_cast<std::size_t>(done);
    } else {
      const ssize_t sent = send(socket_, some.data(), some.size(), MSG_NOSIGNAL);
      if (sent < 0 && !may_continue()) return fail(system_error(errno));
      if (sent < 0) TAVOLA_CHECK(wait_for(socket_, POLLOUT, deadline));
      written = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
    bytes.remove_prefix(written);
  }
  return {};
}

Result<std::size_t> Connection::read(std::span<char> out, Deadline deadline) {
  if (tls_ != nullptr) {
    const auto step = [this, out] { return SSL_read(tls_, out.data(), static_cast<int>(out.size())); };
    TAVOLA_TRY(const int done, complete(step, deadline));
    return static_cast<std::size_t>(done);
  }
  for (;;) {
    const ssize_t got = recv(socket_, out.data(), out.size(), 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (!may_continue()) return fail(system_error(errno));
    TAVOLA_CHECK(wait_for(socket_, POLLIN, deadline));
  }
}

bool Connection::is_silent() {
  char next = 0;
  if (tls_ == nullptr) return recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && may_continue();
  // Reads what belongs to TLS itself, such as the tickets that a server sends behind its handshake.
  ERR_clear_error();
  const int got = SSL_peek(tls_, &next, 1);
  const bool is_silent = got <= 0 && SSL_get_error(tls_, got) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  return is_silent;
}

}  // namespace tavola::remote
