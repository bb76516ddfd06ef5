#include "remote/retries.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/random.h"
#include "wire/client/answers.h"

namespace tavola::remote {
namespace {

using std::chrono::milliseconds;

constexpr long kFirstFailure = 300;
constexpr long kFirstOfServer = 500;
constexpr int kCost = 5;
constexpr int kCostWithoutAnswer = 10;
constexpr milliseconds kFirstPause(50);
constexpr milliseconds kLongestPause(20'000);

// A random time up to one that doubles with each attempt: clients that failed together come back one by one.
milliseconds pause_after(int attempt) {
  milliseconds most = kFirstPause;
  for (int doubled = 1; doubled < attempt && most < kLongestPause; ++doubled) most *= 2;
  most = std::min(most, kLongestPause);
  return milliseconds(Random::system().next() % static_cast<std::uint64_t>(most.count() + 1));
}

// An attempt that failed.
struct Failure {
  Error error;
  bool has_answer;
  bool may_have_happened;
  bool may_pass;  // a later attempt can succeed
};

Failure without_answer(Error error) {
  const bool is_io = error.code() == ErrorCode::Io;  // otherwise there were no credentials
  const bool was_sent = is_io && error.detail<NeverSent>() == nullptr;
  return {.error = std::move(error), .has_answer = false, .may_have_happened = was_sent, .may_pass = is_io};
}

Failure with_answer(const HttpAnswer& answer) {
  Error error = wire::read_error(answer.status, answer.body);
  const bool is_throttled =
      error.code() == ErrorCode::ProvisionedThroughputExceeded || error.code() == ErrorCode::Throttling ||
      error.code() == ErrorCode::TransactionInProgress;  // this transaction, sent before
  const bool failed = answer.status >= kFirstOfServer && !is_throttled;
  return {.error = std::move(error),
          .has_answer = true,
          .may_have_happened = failed,
          .may_pass = is_throttled || failed};
}

}  // namespace

bool RetryBudget::take(int cost) {
  const MutexLock lock(mutex_);
  if (left_ < cost) return false;
  left_ -= cost;
  return true;
}

void RetryBudget::succeeded(int cost) {
  const MutexLock lock(mutex_);
  left_ = std::min(kMost, left_ + std::max(cost, 1));
}

Result<std::string> RetryingClient::send(Operation operation, Again again) {
  operation.ended = again == Again::Always ? HttpRequest::Ended::Again : HttpRequest::Ended::Once;
  int paid = 0;
  for (int attempt = 1;; ++attempt) {
    Result<HttpAnswer> answer = transport_.post(operation);
    if (answer && answer->status < kFirstFailure) {
      budget_.succeeded(paid);
      return std::move(answer->body);
    }
    Failure failure = answer ? with_answer(*answer) : without_answer(std::move(answer).error());
    if (failure.may_have_happened && again != Again::Always) {
      return fail(Error(failure.error.code(),
                        failure.error.message() + " (" + std::string(operation.name) +
                            " was not sent again, because it can have taken effect)",
                        failure.error.detail()));
    }
    const int cost = failure.has_answer ? kCost : kCostWithoutAnswer;
    if (!failure.may_pass || attempt >= transport_.attempts || !budget_.take(cost))
      return fail(std::move(failure.error));
    paid = cost;
    transport_.pause(pause_after(attempt));
  }
}

}  // namespace tavola::remote
