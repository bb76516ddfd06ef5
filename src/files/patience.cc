#include "files/patience.h"

#include <algorithm>
#include <thread>

#include "base/random.h"

namespace tavola::files {
namespace {

constexpr int kTriesMax = 40;
constexpr int kTriesOfBrokenMax = 10;
constexpr std::int64_t kFirst = 50;
constexpr std::int64_t kLongest = 10'000;

bool is_broken(const Error& error) {
  return error.code() == ErrorCode::Io || error.code() == ErrorCode::Internal;
}

}  // namespace

Pause sleep() {
  return [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
}

bool may_pass(const Error& error) {
  switch (error.code()) {
    case ErrorCode::ProvisionedThroughputExceeded:
    case ErrorCode::Throttling:
    case ErrorCode::TransactionConflict:
    case ErrorCode::TransactionInProgress:
      return true;
    default:
      return is_broken(error);
  }
}

bool Patience::wait_after(const Error& error) {
  if (!may_pass(error) || (is_broken(error) && tries_ >= kTriesOfBrokenMax)) return false;
  return wait();
}

bool Patience::wait() {
  if (++tries_ > kTriesMax) return false;
  const std::int64_t most = std::min(kFirst << std::min(tries_ - 1, 10), kLongest);
  // Never all at the same moment.
  const auto half = static_cast<std::uint64_t>(most / 2);
  pause_(
      std::chrono::milliseconds(most / 2 + static_cast<std::int64_t>(Random::system().next() % (half + 1))));
  return true;
}

}  // namespace tavola::files
