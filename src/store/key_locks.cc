#include "store/key_locks.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace tavola::store {
namespace {

// Never returns one of the special values of Stripe::guarded.
std::uint64_t hash_of(std::string_view key) {
  constexpr std::uint64_t kReserved = 2;
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(key), kReserved);
}

Error key_is_held(std::size_t key) {
  return {ErrorCode::TransactionConflict, "another transaction holds one of the keys",
          std::make_shared<Conflict>(key)};
}

// A lock is mostly held for some microseconds, so a transaction that does not wait retries a few times. Returns false
// after enough attempts, with less than a millisecond of sleep.
bool looks_again(int failures) {
  constexpr int kYields = 16;
  constexpr int kSleeps = 8;
  constexpr std::chrono::microseconds kSleep{50};  // Linux adds about as much
  if (failures > kYields + kSleeps) return false;
  failures <= kYields ? std::this_thread::yield() : std::this_thread::sleep_for(kSleep);
  return true;
}

}  // namespace

bool KeyLocks::Stripe::try_hold(std::uint64_t hash) {
  std::uint32_t nobody = 0;
  return holder_.compare_exchange_strong(nobody, mark_of(hash), std::memory_order_acquire,
                                         std::memory_order_relaxed);
}

void KeyLocks::Stripe::hold(std::uint64_t hash) {
  while (!try_hold(hash)) {
    if (const std::uint32_t holder = holder_.load(std::memory_order_relaxed); holder != 0) {
      holder_.wait(holder, std::memory_order_relaxed);
    }
  }
}

// A thread that is woken too late waits for the next release: each release wakes one. The store is sequentially
// consistent: notify_one checks for waiters, and must not do so before others see the store. With a mere release it
// could, and a thread that began to wait in between would sleep on.
void KeyLocks::Stripe::release() {
  holder_.store(0);
  holder_.notify_one();
}

std::uint32_t KeyLocks::stripe_of(std::string_view key) {
  return static_cast<std::uint32_t>(hash_of(key) % kStripes);
}

Result<KeyLocks::Held> KeyLocks::hold(std::span<const std::string> keys, std::span<const Guard> guards,
                                      Contention contention) {
  for (const Guard& guard : guards) announce_guard(guard.key);
  Held held(*locks_);
  held.claims_.reserve(keys.size() + guards.size() + 1);
  for (std::uint32_t i = 0; i < keys.size(); ++i) held.claim(Held::Kind::Key, hash_of(keys[i]), i);
  TAVOLA_CHECK(held.take_claims(contention));
  // Only while the keys are held is it certain which of them are guarded.
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t hash = hash_of(keys[i]);
    const std::uint64_t guarded = locks_->stripe_of(hash).guarded.load(std::memory_order_relaxed);
    if (guarded == kSeveral || guarded == hash) held.claim(Held::Kind::ChangedGuard, hash, i);
  }
  for (const Guard& guard : guards) held.claim(Held::Kind::Guard, hash_of(guard.key));
  TAVOLA_CHECK(held.take_claims(contention));
  return held;
}

// Called before anything is locked. After the first time it costs one lookup.
void KeyLocks::announce_guard(std::string_view key) {
  const std::uint64_t hash = hash_of(key);
  Stripe& stripe = locks_->stripe_of(hash);
  const auto is_announced = [&] {
    const std::uint64_t guarded = stripe.guarded.load(std::memory_order_acquire);
    return guarded == hash || guarded == kSeveral;
  };
  if (is_announced()) return;
  stripe.hold(hash);
  if (!is_announced()) {
    const bool is_first = stripe.guarded.load(std::memory_order_relaxed) == kNone;
    stripe.guarded.store(is_first ? hash : kSeveral, std::memory_order_release);
  }
  stripe.release();
}

void KeyLocks::Held::claim(Kind kind, std::uint64_t hash, std::uint32_t key) {
  const auto stripe = static_cast<std::uint32_t>(hash % (kind == Kind::Key ? kStripes : kGuardStripes));
  claims_.push_back({stripe, kind, key, hash});
}

Result<void> KeyLocks::Held::take_claims(Contention contention) {
  const auto added = claims_.begin() + static_cast<std::ptrdiff_t>(taken_);
  std::sort(added, claims_.end());
  // Keeps one claim per lock, the first: the exclusive one if there is any.
  claims_.erase(std::unique(added, claims_.end(),
                            [](const Claim& one, const Claim& other) { return one.stripe == other.stripe; }),
                claims_.end());
  for (; taken_ < claims_.size(); ++taken_) {
    if (!take(claims_[taken_], contention)) return fail(key_is_held(claims_[taken_].key));
  }
  return {};
}

bool KeyLocks::Held::take(const Claim& claim, Contention contention) {
  switch (claim.kind) {
    case Kind::Key:
      return take_key(claim, contention);
    case Kind::ChangedGuard:
      locks_->guards[claim.stripe].lock();
      return true;
    case Kind::Guard:
      locks_->guards[claim.stripe].lock_shared();
      return true;
  }
  return true;
}

// The holder of the stripe may change at any time. Then the claim is checked once more, or waits although it could have
// been refused.
bool KeyLocks::Held::take_key(const Claim& claim, Contention contention) {
  Stripe& stripe = locks_->stripes[claim.stripe];
  while (!stripe.try_hold(claim.hash)) {
    if (contention == Contention::Wait || !stripe.is_held_for(claim.hash)) {
      stripe.hold(claim.hash);
      return true;
    }
    if (!looks_again(++tries_)) return false;
  }
  return true;
}

void KeyLocks::Held::release(const Claim& claim) {
  switch (claim.kind) {
    case Kind::Key:
      return locks_->stripes[claim.stripe].release();
    case Kind::ChangedGuard:
      return locks_->guards[claim.stripe].unlock();
    case Kind::Guard:
      return locks_->guards[claim.stripe].unlock_shared();
  }
}

KeyLocks::Held::~Held() {
  for (const Claim& claim : std::span(claims_).first(taken_)) release(claim);
}

}  // namespace tavola::store
