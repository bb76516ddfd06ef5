// The state that all threads of a server share: options, budgets of memory, clients, and the pool for long requests.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/locks.h"
#include "http/bytes/byte_budget.h"
#include "http/client.h"
#include "http/exchange.h"
#include "http/message.h"
#include "http/options.h"
#include "http/refusals.h"
#include "http/request_id.h"
#include "http/request_pool.h"
#include "http/sockets/tls.h"
#include "http/web_guard.h"

namespace tavola::http {

// State shared by all threads of a server. Outlives the server if a response comes later than its end.
struct Shared {
  Shared(ServerOptions server_options, Handler request_handler)
      : options(std::move(server_options)),
        handler(std::move(request_handler)),
        guard(options.web),
        budget(options.limits.memory_bytes),
        unverified(options.limits.unverified_bytes),
        clients(budget, unverified),
        pool(pool_limits(options), [this](Exchange& exchange) { handle(exchange); }) {}

  // Returns the response to a request that the handler does not see. Like all of AWS's it has an id.
  Response refuse(const Refusal& refusal) {
    Response response = options.refuse(refusal);
    response.add_header("x-amzn-RequestId", request_ids.next());
    return response;
  }

  // Responds to a request through the handler or with a refusal. On any thread; the exchange may be destroyed when it
  // returns.
  void handle(Exchange& exchange);

  const ServerOptions options;
  const Handler handler;
  const std::string too_large = too_large_text(options.limits.body_bytes);
  std::optional<TlsContext> tls;
  WebGuard guard;
  ByteBudget budget;
  ByteBudget unverified;
  RequestIds request_ids;
  Clients clients;
  std::atomic<bool> is_stopping = false;
  std::atomic<std::size_t> connections = 0;

  // Signalled when the last connection ends while the server stops.
  Mutex mutex;
  std::condition_variable_any last_connection_ended;

  RequestPool pool;  // last: it uses all others

  static RequestPool::Limits pool_limits(const ServerOptions& options);
};

}  // namespace tavola::http
