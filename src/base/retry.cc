#include "base/retry.h"

#include <algorithm>

namespace tavola {

std::chrono::microseconds delay_after(int attempt, const RetryDelays& delays, Random& random) {
  std::chrono::microseconds most = delays.first;
  for (int doubled = 1; doubled < attempt && most < delays.longest; ++doubled) most *= 2;
  most = std::min(most, delays.longest);
  const auto half = static_cast<std::uint64_t>(most.count()) / 2;
  return std::chrono::microseconds(half + random.next() % (half + 1));
}

}  // namespace tavola
