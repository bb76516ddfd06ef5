// Sends signed requests to the server of a target.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "remote/http_client.h"
#include "remote/signature.h"
#include "remote/target.h"

namespace tavola::remote {

// AWS serves streams on another host than the other operations; other servers use one URL for both.
std::string streams_url(std::string url);

// An operation of DynamoDB, as it is sent.
struct Operation {
  std::string_view name;
  std::string body{};
  HttpRequest::Ended ended = HttpRequest::Ended::Once;
  Mark mark = Mark::None;  // of this request; the target's applies, too
};

// Thread safety: all methods, from any thread; each request has a connection of its own (ConnectOptions::connections).
class SignedClient {
 public:
  explicit SignedClient(Target target);

  // Each fails with Io if there was no answer (http_client.h), or as the source of the credentials does.
  //
  // A server refuses a signature whose time is some minutes from its own. Then the difference of the clocks is learnt from the answer, and
  // the request is signed and sent once more; nothing has happened yet.
  Result<HttpAnswer> send(const SignedRequest& request, HttpRequest::Ended ended = HttpRequest::Ended::Again);
  // Fails with Io, too, if the answer's checksum (x-amz-crc32) is not that of its body.
  Result<HttpAnswer> post(const Operation& operation);

 private:
  Result<HttpAnswer> send_once(const SignedRequest& request, HttpRequest::Ended ended);
  // Returns whether the answer refuses the time of the signature, and its own time is another.
  bool learns_time(const HttpAnswer& answer);

  const Target target_;
  HttpClient http_;
  Signer signer_;
  std::atomic<std::int64_t> clock_offset_seconds_ = 0;  // of the server's clock from this machine's
};

}  // namespace tavola::remote
