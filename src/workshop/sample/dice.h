// Repeatable randomness: equal seeds give equal numbers on every machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace tavola::workshop {

// SplitMix64 (Steele, Lea and Flood, 2014). Thread safety: as Random's; the order of threads is not repeated.
class Dice final : public Random {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() override {
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
    std::uint64_t z = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  // Returns a number of [0, count); `count` is not 0.
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  // Returns a number of [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(std::span<const T> choices) {
    return choices[static_cast<std::size_t>(below(choices.size()))];
  }

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace tavola::workshop
