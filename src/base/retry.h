// How long to wait before a request that failed is sent again: exponential backoff with jitter.
#pragma once

#include <chrono>

#include "base/random.h"

namespace tavola {

struct RetryDelays {
  std::chrono::microseconds first;    // the most after the first attempt; doubled after each further one
  std::chrono::microseconds longest;  // the most after any attempt
};

// Returns the delay after the `attempt`th attempt, from 1. Half of it is random: clients that were refused at the same time
// come back at different times.
std::chrono::microseconds delay_after(int attempt, const RetryDelays& delays, Random& random);

}  // namespace tavola
