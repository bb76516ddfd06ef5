// Listening sockets: addresses, names, ports and paths, with error messages for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "http/options.h"
#include "http/sockets/file_descriptor.h"

namespace tavola::http {

struct ListeningSocket {
  FileDescriptor descriptor;
  std::string address;     // "127.0.0.1:8000", "[::1]:8000", or the path
  std::uint16_t port = 0;  // the real one; 0 for a path
};

// Opens one socket per address of `host`, all with the same port. "localhost" is 127.0.0.1 and, if there is IPv6, ::1.
// Fails if one of the addresses is beyond `reach`.
Result<std::vector<ListeningSocket>> listen_tcp(const std::string& host, std::uint16_t port,
                                                Reach reach = Reach::Network);

// Replaces a socket file without a listener, left by a crash; any other file at the path is an error.
Result<ListeningSocket> listen_unix(const std::string& path);

// The file of a Unix socket: removed at the end, unless another server has replaced it.
class UnixSocketFile {
 public:
  UnixSocketFile() = default;
  explicit UnixSocketFile(std::string path);
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;
  UnixSocketFile(UnixSocketFile&& other) noexcept;
  UnixSocketFile& operator=(UnixSocketFile&& other) noexcept;
  ~UnixSocketFile() { remove(); }

  void remove();

 private:
  std::string path_;  // empty: nothing to remove
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

// Returns the peer: "127.0.0.1:51234", "[::1]:51234", "unix".
std::string peer_name(int descriptor);

// Returns whether `host` (as in ServerOptions) is reachable from this machine only. Fails with Io if it is not a host.
// A name may resolve differently later: Reach::ThisMachine makes the server check the addresses it listens on.
Result<bool> is_loopback(const std::string& host);

}  // namespace tavola::http
