// A clock that only the test advances. For tests only.
#pragma once

#include "base/clock.h"

namespace tavola::server {

class TestClock final : public Clock {
 public:
  WallTime now() const override { return now_; }
  void advance(std::chrono::milliseconds by) { now_ += by; }

 private:
  WallTime now_{std::chrono::hours(500'000)};
};

}  // namespace tavola::server
