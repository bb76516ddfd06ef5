// The retry policy of this room. A request that was throttled, or that could not be sent, is sent again after pauses that grow.
#pragma once

#include <chrono>
#include <functional>

#include <tavola/error.h>

namespace tavola::transfer {

using Pause = std::function<void(std::chrono::milliseconds)>;
// Sleeps; tests pass something else.
Pause sleep();

// Returns whether the same request may succeed later.
bool is_passing(const Error& error);

// Returns up to 50 ms, doubled for each further try, at most ten seconds (base/retry.h).
std::chrono::milliseconds pause_after(int tries);

class Patience {
 public:
  // A throttled table gets about four minutes: on AWS, scaling its capacity up takes minutes.
  static constexpr int kThrottledTriesMax = 40;
  // An unreachable or failing server gets about a minute and a half, enough for a restart. A full disk stays full, so not longer.
  static constexpr int kFailedTriesMax = 20;

  explicit Patience(const Pause& pause) : pause_(pause) {}

  // Waits and returns true, or returns false if nothing succeeded for kThrottledTriesMax tries.
  bool wait();
  // Does the same after an error; returns false at once if the error is not passing.
  bool wait_after(const Error& error);
  // Starts counting anew: some of a request was done.
  void made_progress() { tries_ = 0; }

 private:
  const Pause& pause_;
  int tries_ = 0;
};

// Returns what `call` returns, called again while that is a passing error and patience lasts.
template <class Call>
auto patiently(const Pause& pause, Call call) -> decltype(call()) {
  Patience patience(pause);
  for (;;) {
    auto result = call();
    if (result || !patience.wait_after(result.error())) return result;
  }
}

}  // namespace tavola::transfer
