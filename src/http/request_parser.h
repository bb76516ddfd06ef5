// Reads requests out of bytes: Boost.Beast's parser, and the rules that make two servers agree on where a request
// ends. Pure: no I/O, no limits of memory but the ones it is given. fuzz/http_request_fuzz.cc feeds it anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace tavola::http {

// A piece of the bytes that were parsed. A place, not a pointer: the bytes may move while they grow.
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

  // Fields that the server itself looks at; the first of a name.
  Piece accept_encoding;
  Piece content_encoding;
};

enum class Parsed : std::uint8_t { NeedMore, Done, Refused };

// Thread safety: none. One request at a time: parse_head until Done, then parse_chunks until Done if the head says
// so, then reset().
//
// Refused, because proxies and servers disagree on them (RFC 9112): two lengths, a length and a transfer coding, a
// coding other than exactly "chunked", chunks in HTTP/1.0, none or two Hosts, folded lines, a space before a colon.
class RequestParser {
 public:
  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  void reset();

  // `bytes` begins with the request, and every call brings what the previous one brought, and more.
  Parsed parse_head(std::string_view bytes);
  const RequestHead& head() const;

  // Takes bytes behind the head, or behind what was taken before; appends the data of chunks to `body` and says in
  // `consumed` how much it took. Trailers are dropped. Done: the last chunk was there.
  Parsed parse_chunks(std::string_view bytes, std::string& body, std::size_t& consumed);

  // After Refused.
  const Refusal& refusal() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tavola::http
