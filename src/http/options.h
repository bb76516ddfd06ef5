// The options of a server: addresses, limits, timeouts, and the functions it calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/web_guard.h"

namespace tavola::http {

// Limits on what a client can make the server hold. Requests beyond them get a Refusal.
struct Limits {
  std::size_t body_bytes =
      std::size_t{16} * 1024 * 1024;  // of one request, also after decompression; DynamoDB's limit
  std::uint64_t streamed_bytes = std::uint64_t{6} << 30U;  // of a body that a BodySink takes
  std::size_t head_bytes = std::size_t{32} * 1024;         // of one request line and its headers
  std::size_t head_fields = 100;                           // headers of one request
  std::size_t memory_bytes =
      std::size_t{256} * 1024 * 1024;  // of all bodies and large responses of all connections together
  std::size_t unverified_bytes =
      std::size_t{64} * 1024 * 1024;    // of bodies among them whose sender is not verified yet (refuse_head)
  std::size_t connections = 10'000;     // open at once
  std::size_t pipelined_requests = 32;  // of one connection, read ahead of their answers
  unsigned large_requests = 2;          // of more than 1 MB, or compressed, that are handled at once
  std::size_t long_requests_waiting = 1024;  // requests that may take long and wait for a thread
  std::size_t unsent_bytes = std::size_t{4}
                             << 20U;  // of answers of one connection before it is read from again
};

// How long a client may keep the server waiting. Checked every quarter of the shortest of them (at most 500 ms).
struct Timeouts {
  std::chrono::milliseconds head = std::chrono::seconds(
      15);  // from its first byte to its last; also of the first one, and of TLS handshakes
  // To send a body. It applies to a silent client: every 32 KB add a second.
  std::chrono::milliseconds body = std::chrono::seconds(30);
  // To take a response: this long, and a second more for this many bytes of it.
  std::chrono::milliseconds write = std::chrono::seconds(30);
  std::size_t write_bytes_per_second = std::size_t{512} * 1024;
  // To take a large response while others are refused for lack of memory.
  std::chrono::milliseconds give_way = std::chrono::seconds(5);
  std::chrono::milliseconds idle = std::chrono::minutes(3);  // between two requests
  std::chrono::milliseconds linger =
      std::chrono::seconds(5);  // to see the end after the last response, before the connection is cut
  std::chrono::milliseconds stop = std::chrono::seconds(10);  // for running requests when the server stops

  std::chrono::milliseconds to_take(std::size_t answer_bytes) const {
    return write + std::chrono::milliseconds(answer_bytes * 1000 / write_bytes_per_second);
  }
};

// A request that the server answers itself, because it could not or would not read it.
struct Refusal {
  int status = 400;
  std::string_view exception;  // AWS's name of it, e.g. "RequestEntityTooLargeException"
  std::string_view message;
  std::string_view path = {};  // of the request, if its head could be read
};

// {"__type":"com.amazon.coral.service#<exception>","message":"<message>"}
Response refusal_response(const Refusal& refusal);

// From where a server may be reached.
enum class Reach : std::uint8_t { ThisMachine, Network };

// A request with its answer, as a log sees them. Nothing is known of a request whose head could not be read.
struct AnsweredRequest {
  const Request& request;
  const Response& response;
  std::chrono::steady_clock::duration duration;  // from its head to its answer
};

struct PreparedSockets;

struct ServerOptions {
  std::string host = "127.0.0.1";    // an address or a name; "localhost" is 127.0.0.1 and ::1; empty: no TCP
  std::uint16_t port = 8000;         // 0: a free one
  Reach reach = Reach::Network;      // ThisMachine: a host with any other address is an error
  std::string unix_socket = {};      // a path, in addition to TCP; empty: none
  std::string tls_certificate = {};  // PEM files, the certificate with its chain; both or neither
  std::string tls_key = {};
  unsigned threads = 0;  // 0: one per core
  // Returns whether a request may take long: then one of the threads for such requests handles it, and no I/O thread
  // waits for it. Called on I/O threads, with the body as sent. Empty: the I/O thread that read a request handles it.
  std::function<bool(const Request&)> may_take_long = {};
  // Chooses by the head, before a byte of the body is read, what takes the body of a request as it arrives; null: the
  // server holds it. Called on I/O threads, for requests without a body, too. If it is given, refuse_head judges every
  // request first.
  std::function<std::unique_ptr<BodySink>(const Request&)> receive_body = {};
  unsigned long_threads = 0;  // for those requests, in addition to spare ones; 0: one per core
  WebRules web = {};          // web pages that may use the server, and names of the server
  Limits limits = {};
  Timeouts timeouts = {};
  // Called by stop() if long requests still run at timeouts.stop. Ends the process, or returns, and then stop() waits
  // for them.
  std::function<void()> on_endless_requests = {};
  // Called on any of the server's threads. The server adds x-amzn-RequestId.
  std::function<Response(const Refusal&)> refuse = refusal_response;
  // Check whether the sender of a request may use the server, before memory is spent on it; they return the refusal.
  // The first sees only the head, if the body is still to come; its response ends the connection. The second sees the
  // payload, before it is decompressed. Empty if everybody may use the server.
  std::function<std::optional<Response>(const Request&)> refuse_head = {};
  std::function<std::optional<Response>(const Request&)> refuse_payload = {};
  // Called for every answer, on any of the server's threads, before it is sent.
  std::function<void(const AnsweredRequest&)> on_answer = {};
  // The result of prepare() for these options; null: the server prepares itself.
  std::shared_ptr<PreparedSockets> sockets = {};
};

}  // namespace tavola::http
