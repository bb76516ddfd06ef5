// A transport without a socket: the test controls every byte and every step.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "http/sockets/transport.h"

namespace tavola::http {

// The connection's actions towards its client, and the client's.
struct Line {
  std::span<char> wants;  // where the next bytes go; empty: the connection does not read
  std::string sent;
  std::size_t writes = 0;
  bool takes_writes = true;  // false: the client does not read, a write waits
  std::string waiting;
  bool is_writing = false;
  bool has_ended = false;
  bool is_closed = false;
  bool no_memory = false;  // to begin a read or a write
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Line& line) : line_(line) {}

  void read(std::span<char> into) override {
    if (line_.no_memory) throw std::bad_alloc();
    line_.wants = into;
  }
  Written write(std::span<const std::string_view> pieces) override {
    if (line_.no_memory) throw std::bad_alloc();
    ++line_.writes;
    std::string text;
    for (const std::string_view piece : pieces) text += piece;
    if (line_.takes_writes) {
      line_.sent += text;
      return Written::Done;
    }
    line_.waiting = text;
    line_.is_writing = true;
    return Written::Later;
  }
  void end_writing() override { line_.has_ended = true; }
  void close() override { line_.is_closed = true; }

 private:
  Line& line_;
};

}  // namespace tavola::http
