// KeyLocks: the locks of transactions on one machine. Every key falls on one of a fixed number of stripes; a
// transaction takes the stripes of its keys exclusively and those of its guards shared, in ascending order,
// so that no two transactions can wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/fair_mutex.h"
#include "store/store.h"

namespace tavola::store {

// Thread safety: hold() may be called from any thread; a Held belongs to the thread that got it.
// Invariants: (1) a thread holds at most one Held of a KeyLocks; a second one could wait for the first for
// ever. (2) Two Helds that name a common key never exist at once, unless both name it as a guard only.
class KeyLocks {
 public:
  class Held;

  KeyLocks() : stripes_(std::make_unique<Stripes>()) {}
  [[nodiscard]] Held hold(std::span<const std::string> keys, std::span<const Guard> guards);

 private:
  // Enough that the hundred keys of a large transaction rarely meet those of another one; 400 KB in all.
  static constexpr std::size_t kStripes = 4096;
  using Stripes = std::array<FairSharedMutex, kStripes>;

  std::unique_ptr<Stripes> stripes_;
};

// Releases its stripes when it ends.
class KeyLocks::Held {
 public:
  Held(Held&& other) noexcept = default;
  Held& operator=(Held&&) = delete;
  ~Held() TAVOLA_NO_THREAD_SAFETY_ANALYSIS;

 private:
  friend class KeyLocks;
  // Ordered by stripe, and the exclusive claim on a stripe before shared ones.
  struct Claim {
    std::uint32_t stripe;
    bool shared;
    auto operator<=>(const Claim&) const = default;
  };

  // The locks taken depend on data, which the analysis cannot follow.
  Held(Stripes& stripes, std::vector<Claim> claims) TAVOLA_NO_THREAD_SAFETY_ANALYSIS;

  Stripes* stripes_;
  std::vector<Claim> claims_;  // empty after a move
};

}  // namespace tavola::store
