#include "transfer/walk/patience.h"

#include <thread>

#include "base/retry.h"

namespace tavola::transfer {
namespace {

bool is_throttled(const Error& error) {
  switch (error.code()) {
    case ErrorCode::ProvisionedThroughputExceeded:
    case ErrorCode::Throttling:
    case ErrorCode::TransactionConflict:
    case ErrorCode::TransactionInProgress:
      return true;
    default:
      return false;
  }
}

}  // namespace

Pause sleep() {
  return [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
}

bool is_passing(const Error& error) {
  return is_throttled(error) || error.code() == ErrorCode::Io || error.code() == ErrorCode::Internal;
}

std::chrono::milliseconds pause_after(int tries) {
  constexpr RetryDelays kDelays{.first = std::chrono::milliseconds(50), .longest = std::chrono::seconds(10)};
  return std::chrono::ceil<std::chrono::milliseconds>(delay_after(tries, kDelays, Random::system()));
}

bool Patience::wait() {
  if (++tries_ >= kThrottledTriesMax) return false;
  pause_(pause_after(tries_));
  return true;
}

bool Patience::wait_after(const Error& error) {
  if (!is_passing(error)) return false;
  if (!is_throttled(error) && tries_ + 1 >= kFailedTriesMax) return false;
  return wait();
}

}  // namespace tavola::transfer
