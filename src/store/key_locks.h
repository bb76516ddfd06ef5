// KeyLocks: the locks of transactions on one machine. Every key maps to one of a fixed number of stripes. A transaction
// locks the stripes of its keys exclusively, and those of its guards shared, in a separate set of locks, so that a key
// that happens to share the stripe of a table's guard does not stop all writers of the table. A transaction that
// changes a guarded key also takes the lock of its guard: each stripe knows which of its keys are guarded. Each stripe
// also knows the key it is held for: a transaction that does not wait is refused only for its own key, and waits for
// other keys of the stripe.
//
// All transactions lock the stripes of keys in ascending order and then those of guards in ascending order, so that no
// two of them can deadlock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/fair_mutex.h"
#include "store/store.h"

namespace tavola::store {

// Thread safety: hold() may be called from any thread; a Held belongs to the thread that got it. Invariants: (1) a
// thread has at most one Held of a KeyLocks; a second one could wait for the first for ever. (2) Two Helds that name a
// common key never exist at once, unless both name it only as a guard.
class KeyLocks {
 public:
  class Held;

  // Enough that single writes rarely collide; 90 KB in total.
  static constexpr std::size_t kStripes = 4096;
  static std::uint32_t stripe_of(std::string_view key);

  KeyLocks() : locks_(std::make_unique<Locks>()) {}
  // Fails with TransactionConflict if contention is refused and another transaction holds one of the keys. A
  // transaction that changes a guarded key always waits for those who guard it.
  [[nodiscard]] Result<Held> hold(std::span<const std::string> keys, std::span<const Guard> guards,
                                  Contention contention);

 private:
  static constexpr std::uint64_t kNone = 0;
  static constexpr std::uint64_t kSeveral = 1;

  // A lock that records the key it is held for. Not a std::mutex: ThreadSanitizer allows a thread 64 of those at once.
  class Stripe {
   public:
    bool try_hold(std::uint64_t hash);
    void hold(std::uint64_t hash);
    void release();
    // Returns whether it is held for this key; for several keys of one transaction it records one.
    bool is_held_for(std::uint64_t hash) const {
      return holder_.load(std::memory_order_relaxed) == mark_of(hash);
    }

    // The hash of the only key on this stripe that was ever guarded, or kNone, or kSeveral. Changes only while the
    // stripe is held, and only in this order: the holder knows for certain whether its key is guarded.
    std::atomic<std::uint64_t> guarded = kNone;

   private:
    // The bits of the hash that do not select the stripe; never 0, which means free.
    static std::uint32_t mark_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U) | 1U; }

    std::atomic<std::uint32_t> holder_ = 0;
  };
  static constexpr std::size_t kGuardStripes = 256;  // there are few guards
  struct Locks {
    std::array<Stripe, kStripes> stripes;
    std::array<FairSharedMutex, kGuardStripes> guards;

    Stripe& stripe_of(std::uint64_t hash) { return stripes[hash % kStripes]; }
  };
  void announce_guard(std::string_view key);

  std::unique_ptr<Locks> locks_;
};

// Releases its locks when it ends.
class KeyLocks::Held {
 public:
  Held(Held&& other) noexcept
      : locks_(other.locks_), claims_(std::move(other.claims_)), taken_(std::exchange(other.taken_, 0)) {}
  Held& operator=(Held&&) = delete;
  ~Held();

 private:
  friend class KeyLocks;
  // Ordered by stripe; if two use one lock, the exclusive one comes first.
  enum class Kind : std::uint8_t { Key, ChangedGuard, Guard };
  struct Claim {
    std::uint32_t stripe;  // among those of keys, or of guards
    Kind kind;
    std::uint32_t key;   // its position; 0 for a Guard
    std::uint64_t hash;  // of the key
    auto operator<=>(const Claim&) const = default;
  };

  explicit Held(Locks& locks) : locks_(&locks) {}
  void claim(Kind kind, std::uint64_t hash, std::uint32_t key = 0);
  // Takes the claims added since the last call.
  Result<void> take_claims(Contention contention);
  bool take(const Claim& claim, Contention contention) TAVOLA_NO_THREAD_SAFETY_ANALYSIS;
  bool take_key(const Claim& claim, Contention contention);
  void release(const Claim& claim) TAVOLA_NO_THREAD_SAFETY_ANALYSIS;

  Locks* locks_;
  std::vector<Claim> claims_;
  std::size_t taken_ = 0;  // number of claims taken, from the first
  int tries_ = 0;          // failed attempts
};

}  // namespace tavola::store
