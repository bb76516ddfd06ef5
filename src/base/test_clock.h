// A clock that stands still until a test moves it. For tests only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace tavola {

class TestClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(std::chrono::milliseconds(milliseconds_.load())); }
  std::int64_t seconds() const { return milliseconds_.load() / 1000; }
  void advance(std::chrono::milliseconds by) { milliseconds_ += by.count(); }

 private:
  std::atomic<std::int64_t> milliseconds_ = 1'800'000'000'000;  // in January 2027
};

}  // namespace tavola
