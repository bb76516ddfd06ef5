#include "remote/retries.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/random.h"
#include "database/messages.h"
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

bool is_transaction(std::string_view operation) {
  return operation == "TransactWriteItems" || operation == "ExecuteTransaction";
}

}  // namespace

Transport transport_to(Target target) {
  const int attempts = target.options.attempts;
  const auto client = std::make_shared<SignedClient>(std::move(target));
  return {.post = [client](const Operation& operation) { return client->post(operation); },
          .pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
          .attempts = attempts};
}

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

Result<HttpAnswer> RetryingClient::exchange(Operation operation, Again again) {
  operation.ended = again == Again::Always ? HttpRequest::Ended::Again : HttpRequest::Ended::Once;
  int paid = 0;
  std::optional<Result<HttpAnswer>> unknown;  // of a transaction, which an earlier attempt may have performed
  for (int attempt = 1;; ++attempt) {
    Result<HttpAnswer> answer = transport_.post(operation);
    if (answer && answer->status < kFirstFailure) {
      budget_.succeeded(paid);
      return answer;
    }
    const Failure failure = answer ? with_answer(*answer) : without_answer(answer.error());
    const int cost = failure.has_answer ? kCost : kCostWithoutAnswer;
    const bool may_repeat = !failure.may_have_happened || again == Again::Always;
    if (!may_repeat || !failure.may_pass || attempt >= transport_.attempts || !budget_.take(cost))
      return unknown && !settles_transaction(failure.error) ? *std::move(unknown) : std::move(answer);
    if (failure.may_have_happened && is_transaction(operation.name)) unknown = std::move(answer);
    paid = cost;
    transport_.pause(pause_after(attempt));
  }
}

Result<std::string> RetryingClient::send(Operation operation, Again again) {
  const std::string_view name = operation.name;
  Result<HttpAnswer> answer = exchange(std::move(operation), again);
  if (answer && answer->status < kFirstFailure) return std::move(answer->body);
  Failure failure = answer ? with_answer(*answer) : without_answer(std::move(answer).error());
  if (!failure.may_have_happened || again == Again::Always) return fail(std::move(failure.error));
  return fail(Error(failure.error.code(),
                    failure.error.message() + " (" + std::string(name) +
                        " was not sent again, because it can have taken effect)",
                    failure.error.detail()));
}

}  // namespace tavola::remote
