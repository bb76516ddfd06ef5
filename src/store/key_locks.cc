#include "store/key_locks.h"

#include <algorithm>
#include <functional>

namespace tavola::store {
namespace {

std::uint32_t stripe_of(std::string_view key, std::size_t stripes) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(key) % stripes);
}

}  // namespace

KeyLocks::Held KeyLocks::hold(std::span<const std::string> keys, std::span<const Guard> guards) {
  std::vector<Held::Claim> claims;
  claims.reserve(keys.size() + guards.size());
  for (const std::string& key : keys) claims.push_back({stripe_of(key, kStripes), false});
  for (const Guard& guard : guards) claims.push_back({stripe_of(guard.key, kStripes), true});
  std::ranges::sort(claims);
  // One claim per stripe stays, the first: the exclusive one if there is any.
  const auto repeated = std::ranges::unique(claims, {}, &Held::Claim::stripe);
  claims.erase(repeated.begin(), repeated.end());
  return {*stripes_, std::move(claims)};
}

KeyLocks::Held::Held(Stripes& stripes, std::vector<Claim> claims)
    : stripes_(&stripes), claims_(std::move(claims)) {
  for (const Claim& claim : claims_) {
    FairSharedMutex& mutex = (*stripes_)[claim.stripe];
    claim.shared ? mutex.lock_shared() : mutex.lock();
  }
}

KeyLocks::Held::~Held() {
  for (const Claim& claim : claims_) {
    FairSharedMutex& mutex = (*stripes_)[claim.stripe];
    claim.shared ? mutex.unlock_shared() : mutex.unlock();
  }
}

}  // namespace tavola::store
