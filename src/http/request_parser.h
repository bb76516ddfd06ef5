// Parses requests: Boost.Beast's parser, with stricter rules so that two servers agree on where a request ends. Pure:
// no I/O, no memory beyond the given limits. fuzz/http_request_fuzz.cc feeds it random bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/options.h"

namespace tavola::http {

// A range of the parsed bytes. An offset, not a pointer: the bytes may move while they grow.
struct Piece {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;

  std::string_view of(std::string_view bytes) const { return bytes.substr(offset, size); }
  bool empty() const { return size == 0; }
};

// A request line and its headers.
struct RequestHead {
  std::size_t size_bytes = 0;  // of the head, with the empty line
  Piece method;
  Piece target;
  struct Field {
    Piece name;
    Piece value;
  };
  std::vector<Field> fields;

  bool http_1_1 = true;
  bool keep_alive = true;
  bool chunked = false;
  bool expects_continue = false;
  std::uint64_t content_length = 0;  // 0 when chunked

  // Fields that the server itself reads; the first of a name.
  Piece accept_encoding;
  Piece content_encoding;
};

enum class Parsed : std::uint8_t { NeedMore, Done, Refused };

// Thread safety: none. One request at a time: parse_head until Done, then parse_chunks until Done if the head requires
// it, then reset().
//
// It refuses input on which proxies and servers disagree (RFC 9112): two lengths, a length and a transfer coding, a
// coding other than exactly "chunked", chunks in HTTP/1.0, no or two Hosts, folded lines, a space before a colon.
class RequestParser {
 public:
  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  void reset();

  // `bytes` begins with the request; every call passes the bytes of the previous one, and more.
  Parsed parse_head(std::string_view bytes);
  const RequestHead& head() const;

  // Consumes bytes after the head, or after those consumed before; appends the data of chunks to `body` and sets
  // `consumed`. Trailers are dropped. Done: the last chunk was parsed.
  Parsed parse_chunks(std::string_view bytes, std::string& body, std::size_t& consumed);

  // Valid after Refused.
  const Refusal& refusal() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tavola::http
