// One HTTP request and its response, as a handler sees them.
//
//   Handler handler = [](const Request& request, Reply reply) {
//     reply(Response{.status = 200, .content_type = "text/plain", .body = std::string(request.body)});
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tavola::http {

struct Header {
  std::string_view name;
  std::string_view value;
};

// Takes the body of a request as it arrives, so that nobody holds all of it (ServerOptions::receive_body).
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Takes the next bytes, as sent. Called on the I/O thread of the connection, so it should not wait; the client sends
  // no faster than it returns. False: the rest is not wanted. Then the handler is called at once, and its answer ends
  // the connection.
  virtual bool take(std::string_view piece) = 0;
};

// The body of a response that is made while it is sent: a file.
class BodySource {
 public:
  virtual ~BodySource() = default;
  virtual std::uint64_t size_bytes() const = 0;
  // Fills all of `into` with the next bytes; the server asks for no more than size_bytes(). Called on the I/O thread of
  // the connection, whenever the client has taken what came before. False: they cannot be read. Then the connection
  // ends, so that the client notices that bytes are missing.
  virtual bool read(std::span<char> into) = 0;
};

// Views into memory of the connection: valid until the Reply was called or dropped.
struct Request {
  std::string_view method;  // as sent: "POST"
  std::string_view path;    // the target before '?', not decoded
  std::string_view query;   // the target after '?', not decoded
  // The host and port in a target like "http://localhost:8000/path"; empty for the usual "/path".
  std::string_view authority = {};
  std::string_view body;  // decompressed
  // The body's bytes as sent, before decompression, which a signature covers.
  std::string_view payload;
  // The sink that took the body (ServerOptions::receive_body), or null: `body` and `payload` are empty then, and nothing was
  // decompressed.
  BodySink* sink = nullptr;
  std::span<const Header> headers;  // in the order they came
  std::string_view peer;            // "127.0.0.1:51234", "[::1]:51234"; "unix" for a Unix socket

  // Returns the value of the first header of this name, in any case; empty if missing.
  std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string_view content_type = {};       // must outlive the answer (a literal); empty: none is sent
  std::string headers = {};                 // further header lines; add_header writes them
  std::string body = {};                    // compressed if the client asks for it and it is worth it
  std::shared_ptr<BodySource> source = {};  // sent in place of `body`, never compressed; null: `body` is sent
  bool crc32 = false;                       // send x-amz-crc32 over the body as it is sent, after compression

  // The server sets Content-Length, Date and Connection. Control characters become spaces, so that no value can end its
  // line.
  void add_header(std::string_view name, std::string_view value);
};

// The receiver of a response: a connection, or a test.
class ReplyTarget {
 public:
  virtual ~ReplyTarget() = default;
  virtual void reply(Response response) = 0;
  virtual void dropped() = 0;  // the Reply went away without an answer
};

// Responds to one request. May be called from any thread, at most once; dropping it responds with 500. Calling it
// invalidates its Request.
class [[nodiscard]] Reply {
 public:
  explicit Reply(ReplyTarget& target) : target_(&target) {}
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&& other) noexcept;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply();

  void operator()(Response response);

 private:
  ReplyTarget* target_;
};

// Called on an I/O thread, or on one for long requests (ServerOptions::may_take_long). Code that waits (for a synced
// write) must run on another thread, which calls the Reply.
using Handler = std::function<void(const Request&, Reply)>;

}  // namespace tavola::http
