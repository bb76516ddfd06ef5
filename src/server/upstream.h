// `tavola serve --upstream`: the server has no data of its own and stands in front of Amazon DynamoDB, or of another server with its
// protocol.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "access/identity/signature.h"
#include "http/options.h"
#include "remote/forwarder.h"
#include "server/serve.h"
#include "wire/service.h"

namespace tavola::server {

// Fails with Validation, in words, if an option needs data of the server's own.
Result<void> check_upstream_options(const ServeOptions& options);

// Has threads of their own wait for the upstream server, so that no I/O thread does.
void wait_on_threads(http::ServerOptions& server);

// Thread safety: all methods.
class Upstream {
 public:
  // Returns null without --upstream. Fails if the upstream server cannot be reached, or refuses the credentials.
  static Result<std::unique_ptr<Upstream>> open(const ServeOptions& options);

  Database& database() { return *database_; }

  // Returns whether an operation of this sender is sent on without being looked at: its answer is that of the upstream server, byte for
  // byte.
  bool forwards(std::string_view operation, const access::Sender& sender) const;
  // Sends the operation of a request on, which may be unknown here.
  wire::Answer forward(const http::Request& request) const;

 private:
  explicit Upstream(remote::Target target);

  std::unique_ptr<Database> database_;
  mutable remote::Forwarder forwarder_;
};

}  // namespace tavola::server
