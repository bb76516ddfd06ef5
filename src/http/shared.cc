#include "http/shared.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "http/bytes/compression.h"

namespace tavola::http {
namespace {

// Returns why a body cannot be handled; nullopt if it was decompressed.
std::optional<Refusal> refusal_of(Decompressed result, const Shared& shared) {
  switch (result) {
    case Decompressed::Done:
      return std::nullopt;
    case Decompressed::Corrupt:
      return kUndecodable;
    case Decompressed::TooLarge:
      return too_large(shared.too_large);
    case Decompressed::OverBudget:
      return kOverloaded;
  }
  return kUndecodable;
}

}  // namespace

RequestPool::Limits Shared::pool_limits(const ServerOptions& options) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned regular = options.long_threads != 0 ? options.long_threads : cores;
  return {.regular_threads = regular,
          .spare_threads = regular + 4,
          .waiting = options.limits.long_requests_waiting,
          .large_running = options.limits.large_requests};
}

void Shared::handle(Exchange& exchange) {
  Reply reply(exchange);
  exchange.unverified_share.release();  // the handler verifies it now
  try {
    // Decompressing costs memory and time: a body from an unknown sender is refused before.
    auto refused = options.refuse_payload && exchange.must_decode() ? options.refuse_payload(exchange.request)
                                                                    : std::nullopt;
    if (refused) {
      exchange.is_refused = true;
      return reply(*std::move(refused));
    }
    if (std::optional<Refusal> wrong = refusal_of(exchange.decode_body(options.limits.body_bytes), *this)) {
      exchange.is_refused = true;
      wrong->path = exchange.request.path;
      return reply(refuse(*wrong));
    }
    handler(exchange.request, std::move(reply));
  } catch (const std::exception&) {
    return;  // the Reply was dropped, which answers 500
  }
}

}  // namespace tavola::http
