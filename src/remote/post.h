// One signed request over HTTP.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/locks.h"
#include "remote/remote_database.h"

namespace tavola::remote {

// A request to any service of AWS, or to a server that speaks its protocol.
struct SignedRequest {
  std::string_view method;             // "POST", "PUT", "GET", "HEAD"
  std::string url;                     // complete and encoded; query parameters in the order of their names
  std::string_view service;            // "dynamodb", "s3"
  std::vector<std::string> headers{};  // "Content-Type: application/json"
  std::string_view body{};
};

// AWS serves streams on another host than the other operations; other servers use one URL for both.
std::string streams_url(std::string url);

// A connection kept between requests. Thread safety: all methods, from any thread; calls take turns.
class Connection {
 public:
  explicit Connection(Endpoint endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Fails with Io if there was no response.
  Result<HttpAnswer> send(const SignedRequest& request);
  // Sends an operation of DynamoDB.
  Result<HttpAnswer> post(std::string_view operation, const std::string& body);

 private:
  const Endpoint endpoint_;
  Mutex mutex_;
  void* curl_ TAVOLA_GUARDED_BY(mutex_);  // a CURL*, whose header stays in post.cc
};

}  // namespace tavola::remote
