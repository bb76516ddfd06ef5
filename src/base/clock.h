// Time is injected, so that a test can repeat code that depends on it (timestamps, TTL, leases).
#pragma once

#include <tavola/time.h>

namespace tavola {

// Thread safety: now() may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;

  // The machine's clock; lives as long as the program.
  static const Clock& system();
};

}  // namespace tavola
