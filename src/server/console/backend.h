// The database as the console uses it.
#pragma once

#include <functional>

#include <tavola/database.h>

#include "access/identity/signature.h"
#include "http/message.h"

namespace tavola::server {

// Serves senders who are known otherwise than by a signature. Thread safety: all methods.
class Backend {
 public:
  virtual ~Backend() = default;
  // Answers an operation of DynamoDB, at any path, or a request under /v1, when everything that the answer shows is durable.
  virtual void perform(const access::Sender& sender, const http::Request& request, http::Reply reply) = 0;
  // Calls `use`, before it returns, with the stack of layers as the sender may use it.
  virtual void with_database(const access::Sender& sender, const http::Request& request,
                             const std::function<void(Database&)>& use) = 0;
};

}  // namespace tavola::server
