// A clock that stands at the time that a case sets.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace tavola::cases {

// Thread safety: all methods.
class SetClock final : public Clock {
 public:
  WallTime now() const override { return now_.load(); }
  void set(WallTime time) { now_ = time; }

 private:
  std::atomic<WallTime> now_{WallTime()};
};

}  // namespace tavola::cases
