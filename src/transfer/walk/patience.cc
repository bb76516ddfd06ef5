#include "transfer/walk/patience.h"

#include <algorithm>
#include <thread>

#include "base/random.h"

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
  constexpr std::uint64_t kMost = 10'000;
  constexpr int kDoublings = 8;
  const std::uint64_t most =
      std::min(kMost, std::uint64_t{50} << static_cast<unsigned>(std::clamp(tries - 1, 0, kDoublings)));
  return std::chrono::milliseconds(most / 2 + Random::system().next() % (most / 2));
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
