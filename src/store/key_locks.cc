#include "store/key_locks.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace tavola::store {
namespace {

// Never one of the numbers that mean something else in Stripe::guarded.
std::uint64_t hash_of(std::string_view key) {
  constexpr std::uint64_t kReserved = 2;
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(key), kReserved);
}

Error key_is_held(std::size_t key) {
  return {ErrorCode::TransactionConflict, "another transaction holds one of the keys",
          std::make_shared<Conflict>(key)};
}

// A lock is mostly held for some microseconds: whoever does not want to wait looks a few times more. Returns false
// when it has looked often enough, after less than a millisecond of sleep.
bool looks_again(int failures) {
  constexpr int kYields = 16;
  constexpr int kSleeps = 8;
  constexpr std::chrono::microseconds kSleep{50};  // to which Linux adds as much
  if (failures > kYields + kSleeps) return false;
  failures <= kYields ? std::this_thread::yield() : std::this_thread::sleep_for(kSleep);
  return true;
}

}  // namespace

std::uint32_t KeyLocks::stripe_of(std::string_view key) {
  return static_cast<std::uint32_t>(hash_of(key) % kStripes);
}

Result<KeyLocks::Held> KeyLocks::hold(std::span<const std::string> keys, std::span<const Guard> guards,
                                      Contention contention) {
  for (const Guard& guard : guards) announce_guard(guard.key);
  Held held(*stripes_);
  held.claims_.reserve(keys.size() + guards.size() + 1);
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    held.claims_.push_back({stripe_of(keys[i]), Held::Kind::Key, i, hash_of(keys[i])});
  }
  TAVOLA_CHECK(held.take_claims(contention));
  // Only now that the keys are held is it certain which of them are guarded.
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t hash = hash_of(keys[i]);
    const std::uint64_t guarded = (*stripes_)[stripe_of(keys[i])].guarded.load(std::memory_order_relaxed);
    if (guarded == kNone || (guarded != kSeveral && guarded != hash)) continue;
    held.claims_.push_back({stripe_of(keys[i]), Held::Kind::ChangedGuard, i, hash});
  }
  for (const Guard& guard : guards) held.claims_.push_back({stripe_of(guard.key), Held::Kind::Guard, 0, 0});
  TAVOLA_CHECK(held.take_claims(contention));
  return held;
}

// Called before anything is held. After the first time it costs a look.
void KeyLocks::announce_guard(std::string_view key) {
  const std::uint64_t hash = hash_of(key);
  Stripe& stripe = (*stripes_)[stripe_of(key)];
  const auto is_announced = [&] {
    const std::uint64_t guarded = stripe.guarded.load(std::memory_order_acquire);
    return guarded == hash || guarded == kSeveral;
  };
  if (is_announced()) return;
  const FairExclusiveLock lock(stripe.keys);
  if (is_announced()) return;
  const bool is_first = stripe.guarded.load(std::memory_order_relaxed) == kNone;
  stripe.guarded.store(is_first ? hash : kSeveral, std::memory_order_release);
}

Result<void> KeyLocks::Held::take_claims(Contention contention) {
  const auto added = claims_.begin() + static_cast<std::ptrdiff_t>(taken_);
  std::sort(added, claims_.end());
  // One claim per lock stays, the first: the exclusive one if there is any.
  claims_.erase(std::unique(added, claims_.end(),
                            [](const Claim& one, const Claim& other) { return one.stripe == other.stripe; }),
                claims_.end());
  for (; taken_ < claims_.size(); ++taken_) {
    if (!take(claims_[taken_], contention)) return fail(key_is_held(claims_[taken_].key));
  }
  return {};
}

bool KeyLocks::Held::take(const Claim& claim, Contention contention) {
  FairSharedMutex& lock = lock_of(claim);
  if (claim.kind == Kind::Guard) {
    lock.lock_shared();
    return true;
  }
  while (!lock.try_lock()) {
    if (contention == Contention::Wait || !is_for_its_key(claim)) {
      lock.lock();
      break;
    }
    if (!looks_again(++tries_)) return false;
  }
  if (claim.kind == Kind::Key) (*stripes_)[claim.stripe].held.store(claim.hash, std::memory_order_relaxed);
  return true;
}

// Not certain: the lock may change hands meanwhile. Then the claim looks once more, or waits where it could be refused.
bool KeyLocks::Held::is_for_its_key(const Claim& claim) const {
  const Stripe& stripe = (*stripes_)[claim.stripe];
  const auto& holder = claim.kind == Kind::Key ? stripe.held : stripe.guarded;
  return holder.load(std::memory_order_relaxed) == claim.hash;
}

FairSharedMutex& KeyLocks::Held::lock_of(const Claim& claim) const {
  Stripe& stripe = (*stripes_)[claim.stripe];
  return claim.kind == Kind::Key ? stripe.keys : stripe.guards;
}

KeyLocks::Held::~Held() {
  for (const Claim& claim : std::span(claims_).first(taken_)) {
    FairSharedMutex& lock = lock_of(claim);
    claim.kind == Kind::Guard ? lock.unlock_shared() : lock.unlock();
  }
}

}  // namespace tavola::store
