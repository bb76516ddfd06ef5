// A stream of bytes to a client, and the receiver of its events. event_loop.cc implements it on sockets and TLS; tests
// and fuzz targets have their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tavola::http {

class TransportEvents {
 public:
  virtual ~TransportEvents() = default;
  // 0: the client sends no more; it may still read.
  virtual void on_read(std::size_t bytes) = 0;
  // The client is gone, or the transport is closed.
  virtual void on_read_failed() = 0;
  // False: the client is gone, or the transport is closed.
  virtual void on_written(bool ok) = 0;
};

// Thread safety: the thread of its event loop only. read() and write() may throw for lack of memory: then they have not
// started, and no event follows.
class Transport {
 public:
  virtual ~Transport() = default;

  // Exactly one on_read or on_read_failed follows, later, also after close(). Only one read at a time; `into` must live
  // until then.
  virtual void read(std::span<char> into) = 0;

  enum class Written : std::uint8_t { Done, Later, Failed };
  // Writes all pieces. Later: exactly one on_written follows, also after close(), and the pieces must live until then.
  virtual Written write(std::span<const std::string_view> pieces) = 0;

  // Signals the client that nothing more follows. Reading continues.
  virtual void end_writing() = 0;
  virtual void close() = 0;
};

}  // namespace tavola::http
