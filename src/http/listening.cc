#include "http/listening.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tavola::http {
namespace {

constexpr int kBacklog = 4096;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  std::uint16_t port() const {
    if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
    if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
    return 0;
  }
  void set_port(std::uint16_t port) {
    if (family() == AF_INET) reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
    if (family() == AF_INET6) reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
  }
};

std::string system_reason(int error) { return std::generic_category().message(error); }

Error io_error(std::string message) { return {ErrorCode::Io, std::move(message)}; }

std::string to_text(const Address& address) {
  if (address.family() == AF_UNIX) return "unix";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family() == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr, text.data(),
              text.size());
    return std::string(text.data()) + ":" + std::to_string(address.port());
  }
  inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr, text.data(),
            text.size());
  return "[" + std::string(text.data()) + "]:" + std::to_string(address.port());
}

Result<std::vector<Address>> resolve(const std::string& host) {
  std::string name = host;
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int status = getaddrinfo(name.c_str(), nullptr, &hints, &found); status != 0) {
    return fail(io_error("cannot listen on " + host + ": " + gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    Address address;
    address.size = info->ai_addrlen;
    std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
    addresses.push_back(address);
  }
  if (addresses.empty()) return fail(io_error("cannot listen on " + host + ": it has no address"));
  return addresses;
}

// The machine's own name need not be in its hosts file, nor have both addresses there.
Result<std::vector<Address>> addresses_of(const std::string& host) {
  if (host != "localhost") return resolve(host);
  TAVOLA_TRY(std::vector<Address> addresses, resolve("127.0.0.1"));
  if (const auto ipv6 = resolve("::1")) addresses.push_back(ipv6->front());
  return addresses;
}

// Returns a listening socket, or the operating system's error.
std::expected<FileDescriptor, int> open_listening(const Address& address) {
  FileDescriptor socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return std::unexpected(errno);
  const int on = 1;
  // A port whose last connections still linger can be reused; one with a listener cannot.
  setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // Accepted sockets inherit this: a response is one write and need not wait for another.
  if (address.family() != AF_UNIX) setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (bind(socket.number(), address.get(), address.size) != 0) return std::unexpected(errno);
  if (::listen(socket.number(), kBacklog) != 0) return std::unexpected(errno);
  return socket;
}

Error listen_error(const Address& address, int error) {
  const std::string text = "cannot listen on " + to_text(address) + ": ";
  if (error == EADDRINUSE)
    return io_error(text + "the port is in use; stop the program that uses it, or choose another port");
  if (error == EACCES) return io_error(text + "ports below 1024 require root or CAP_NET_BIND_SERVICE");
  if (error == EADDRNOTAVAIL) return io_error(text + "this machine does not have that address");
  return io_error(text + system_reason(error));
}

bool has_no_such_address(int error) { return error == EADDRNOTAVAIL || error == EAFNOSUPPORT; }

// Listens on all addresses; with port 0, on the port that the first one gets.
Result<std::vector<ListeningSocket>> listen_on(std::vector<Address> addresses, std::uint16_t port) {
  std::vector<ListeningSocket> sockets;
  for (Address& address : addresses) {
    address.set_port(sockets.empty() ? port : sockets.front().port);
    auto descriptor = open_listening(address);
    // A machine may have no IPv6.
    if (!descriptor && !sockets.empty() && has_no_such_address(descriptor.error())) continue;
    if (!descriptor) return fail(listen_error(address, descriptor.error()));
    Address bound;
    bound.size = sizeof(bound.storage);
    if (getsockname(descriptor->number(), bound.get(), &bound.size) != 0)
      return fail(listen_error(address, errno));
    sockets.push_back({*std::move(descriptor), to_text(bound), bound.port()});
  }
  return sockets;
}

Result<Address> unix_address(const std::string& path) {
  Address address;
  auto* unix_part = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (path.size() >= sizeof(unix_part->sun_path)) {
    return fail(io_error("cannot listen on " + path + ": the path of a Unix socket has at most " +
                         std::to_string(sizeof(unix_part->sun_path) - 1) + " bytes"));
  }
  unix_part->sun_family = AF_UNIX;
  std::memcpy(unix_part->sun_path, path.c_str(), path.size() + 1);
  address.size = sizeof(sockaddr_un);
  return address;
}

// Removes the socket file of a server that ended. An unreachable server has ended; a slow one has not.
Result<void> remove_stale(const std::string& path, const Address& address) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode))
    return fail(io_error("cannot listen on " + path + ": the file exists and is not a socket"));
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!probe.is_open()) return fail(io_error("cannot listen on " + path + ": " + system_reason(errno)));
  const int error = connect(probe.number(), address.get(), address.size) == 0 ? 0 : errno;
  if (error == 0 || error == EAGAIN)
    return fail(io_error("cannot listen on " + path + ": another server listens there"));
  if (error != ECONNREFUSED)
    return fail(
        io_error("cannot see whether another server listens on " + path + ": " + system_reason(error)));
  if (unlink(path.c_str()) != 0)
    return fail(io_error("cannot remove the old socket " + path + ": " + system_reason(errno)));
  return {};
}

bool is_loopback_address(const Address& address) {
  if (address.family() == AF_INET) {
    const std::uint32_t number =
        ntohl(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr.s_addr);
    return (number >> 24U) == 127;
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr) != 0;
}

}  // namespace

Result<std::vector<ListeningSocket>> listen_tcp(const std::string& host, std::uint16_t port, Reach reach) {
  TAVOLA_TRY(const std::vector<Address> addresses, addresses_of(host));
  for (const Address& address : addresses) {
    if (reach == Reach::ThisMachine && !is_loopback_address(address))
      return fail(io_error("cannot listen on " + host + ": other machines can reach " + to_text(address)));
  }
  // A port that is free on one address may be taken on the other: then another one is tried.
  constexpr int kAttempts = 16;
  auto sockets = listen_on(addresses, port);
  for (int i = 1; i < kAttempts && !sockets && port == 0; ++i) sockets = listen_on(addresses, port);
  return sockets;
}

Result<ListeningSocket> listen_unix(const std::string& path) {
  TAVOLA_TRY(const Address address, unix_address(path));
  TAVOLA_CHECK(remove_stale(path, address));
  auto descriptor = open_listening(address);
  if (!descriptor)
    return fail(io_error("cannot listen on " + path + ": " + system_reason(descriptor.error())));
  return ListeningSocket{*std::move(descriptor), path, 0};
}

UnixSocketFile::UnixSocketFile(std::string path) : path_(std::move(path)) {
  struct stat status{};
  if (lstat(path_.c_str(), &status) != 0) path_.clear();
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

UnixSocketFile::UnixSocketFile(UnixSocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

UnixSocketFile& UnixSocketFile::operator=(UnixSocketFile&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    device_ = other.device_;
    inode_ = other.inode_;
  }
  return *this;
}

void UnixSocketFile::remove() {
  const std::string path = std::exchange(path_, {});
  struct stat status{};
  if (path.empty() || lstat(path.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) unlink(path.c_str());
}

std::string peer_name(int descriptor) {
  Address address;
  address.size = sizeof(address.storage);
  if (getpeername(descriptor, address.get(), &address.size) != 0) return "unknown";
  return to_text(address);
}

Result<bool> is_loopback(const std::string& host) {
  TAVOLA_TRY(const std::vector<Address> addresses, addresses_of(host));
  for (const Address& address : addresses) {
    if (!is_loopback_address(address)) return false;
  }
  return true;
}

}  // namespace tavola::http
