// When a request is sent again, and after which pause: as AWS's SDKs do in their standard mode, with one difference. A write that failed
// at the server, or whose answer was lost, is not sent again, because it can have taken effect.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <tavola/error.h>

#include "base/locks.h"
#include "remote/signed_client.h"

namespace tavola::remote {

// Whether a second time does harm. A server that throttles, or that was not reached, has done nothing; one that fails may have.
enum class Again : bool {
  WhenNothingHappened,
  Always,  // it does no harm: a read, or a request that its token identifies
};

// How requests are sent; tests have another one.
struct Transport {
  std::function<Result<HttpAnswer>(const Operation& operation)> post;
  std::function<void(std::chrono::milliseconds)> pause;
  int attempts = 3;
};

// Returns how requests reach the server of a target.
Transport transport_to(Target target);

// Retries are paid for from a budget that successful requests fill: while most requests fail, clients do not multiply the load of a server
// that has too much of it. Thread safety: all methods.
class RetryBudget {
 public:
  // Returns whether there is enough for another attempt, and takes it.
  bool take(int cost);
  // A request succeeded after paying `cost` for its last attempt; 0: the first attempt succeeded.
  void succeeded(int cost);

 private:
  static constexpr int kMost = 500;
  Mutex mutex_;
  int left_ TAVOLA_GUARDED_BY(mutex_) = kMost;
};

// Thread safety: all methods.
class RetryingClient {
 public:
  explicit RetryingClient(Transport transport) : transport_(std::move(transport)) {}

  // Returns the body of the answer, or the error that the server returned.
  Result<std::string> send(Operation operation, Again again);
  // Returns the last answer, also one with an error; fails if there was none.
  Result<HttpAnswer> exchange(Operation operation, Again again);

 private:
  Transport transport_;
  RetryBudget budget_;
};

}  // namespace tavola::remote
