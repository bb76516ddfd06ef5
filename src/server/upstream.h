// `tavola serve --upstream`: the server has no data of its own and stands in front of Amazon DynamoDB, or of another server with its
// protocol.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "access/identity/signature.h"
#include "base/clock.h"
#include "governed/governed_database.h"
#include "http/options.h"
#include "remote/forwarder.h"
#include "remote/target.h"
#include "server/log/log.h"
#include "server/serve.h"
#include "wire/service.h"

namespace tavola::server {

// Fails with Validation, in words, if an option needs data of the server's own.
Result<void> check_upstream_options(const ServeOptions& options);

// Fails with Validation, in words, if an option needs a data directory and the data is in a store that servers share (--store).
Result<void> check_store_options(const ServeOptions& options);

// Returns how long after their items the entries of global indexes may appear: with them, unless the server is Amazon's.
std::chrono::milliseconds index_lag_of(const remote::Target& target);

// Waits for the upstream server, or for a shared store, on separate threads, so that no I/O thread does.
void wait_on_threads(http::ServerOptions& server);

// Thread safety: all methods.
class Upstream {
 public:
  // Returns null without --upstream. Fails if the upstream server cannot be reached, or refuses the credentials.
  // With designs, also fails if one cannot be kept (governed/refusals.h), or a table has another one. Borrows the clock.
  static Result<std::unique_ptr<Upstream>> open(const ServeOptions& options,
                                                std::span<const design::Design> designs, const Clock& clock);

  // Connects to a server without designs. Fails as open() does.
  static Result<std::unique_ptr<Upstream>> connect(remote::Target target);

  Database& database() {
    if (governed_) return *governed_;
    return *database_;
  }
  // Starts the threads that finish large changes and follow the streams of the tables; does nothing without designs.
  void start(Log& log);
  void append_metrics(std::string& out) const;
  // Returns null without designs.
  const governed::GovernedDatabase* governed() const { return governed_.get(); }

  // Returns whether an operation of this sender is sent on without being looked at: its answer is that of the upstream server, byte for
  // byte.
  struct Asked {
    std::string_view operation;
    std::string_view body;
  };
  bool forwards(const Asked& asked, const access::Sender& sender) const;
  // Sends the operation of a request on, which may be unknown here.
  wire::Answer forward(const http::Request& request) const;

 private:
  explicit Upstream(remote::Target target);

  std::unique_ptr<Database> database_;
  std::unique_ptr<governed::GovernedDatabase> governed_;
  mutable remote::Forwarder forwarder_;
};

}  // namespace tavola::server
