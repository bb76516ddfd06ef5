#include "base/clock.h"

namespace tavola {

const Clock& Clock::system() {
  struct SystemClock final : Clock {
    WallTime now() const override {
      return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    }
  };
  static const SystemClock clock;
  return clock;
}

}  // namespace tavola
